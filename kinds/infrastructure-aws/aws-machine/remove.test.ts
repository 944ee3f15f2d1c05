import { describe, expect, it } from 'vitest';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { tagList } from '../engine/tags.ts';
import type { Observed } from './observe.ts';
import { planRemoval } from './remove.ts';
import type { AWSMachine } from './schema.ts';
import { machineEvidence } from './secrets.ts';

const now = Date.UTC(2026, 0, 1);
const owner = { installation: 'here', clusterUid: 'c', clusterName: 'demo', additionalTags: {} };
const adopted = { providerID: 'aws:///eu-west-1a/i-1', instanceID: 'i-1' };
const addresses = [{ type: 'InternalDNS', address: 'ip-10-0-0-1.eu-west-1.compute.internal' }];

const removed = ({ spec = {}, status = {} }: { spec?: object; status?: object }) => {
  const awsMachine = {
    metadata: { name: 'one', namespace: 'default', uid: 'u', deletionTimestamp: new Date(now).toISOString() },
    spec,
    status,
  } as unknown as AWSMachine;
  const observed = {
    awsMachine,
    machine: { state: 'absent' },
    others: { state: 'absent' },
    owner,
    region: 'eu-west-1',
    cloud: 'known',
    launch: { tried: now },
    balancing: { targetGroups: [], classicLoadBalancers: [] },
    instances: [
      {
        InstanceId: 'i-1',
        State: { Name: 'running' },
        Placement: { AvailabilityZone: 'eu-west-1a' },
        PrivateDnsName: addresses[0]!.address,
        Tags: tagList(machineEvidence(owner, awsMachine)),
      },
    ],
  } as unknown as Observed;
  return planRemoval(observed, { now } as Context, { finished: true });
};

describe('an instance that is terminated', () => {
  it.each([
    { rule: 'before its launch was recorded', spec: {}, intent: { spec: adopted } },
    { rule: 'after an attempt that recorded the instance only', spec: adopted, intent: undefined },
  ])('has its addresses recorded, because it may be a Node by now: $rule', ({ spec, intent }) => {
    const plan = removed({ spec });
    expect(plan.actions?.map((one) => 'operation' in one && one.operation)).toContain('TerminateInstances');
    expect(plan.intent).toEqual(intent);
    expect(plan.status?.addresses).toEqual(addresses);
  });
  it('keeps the addresses that were recorded while it ran', () => {
    const before = [{ type: 'InternalDNS', address: 'custom.example.com' }];
    expect(removed({ spec: adopted, status: { addresses: before } }).status?.addresses).toEqual(before);
  });
});
