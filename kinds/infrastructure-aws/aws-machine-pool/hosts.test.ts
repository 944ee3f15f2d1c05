import { describe, expect, it } from 'vitest';
import type { AutoScalingGroup, GroupInstance } from '../../ports/cloud/index.ts';
import type { AWSMachine } from '../aws-machine/schema.ts';
import { answerHooks, endedMachines, type Hosts, missingHosts } from './hosts.ts';

const pool = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachinePool',
  metadata: { namespace: 'default', name: 'pool', uid: 'p' },
  spec: { minSize: 1, maxSize: 3, awsLaunchTemplate: { instanceType: 't3.large' } },
};
const instance = (id: string, LifecycleState: GroupInstance['LifecycleState'] = 'InService') =>
  ({ InstanceId: `i-${id}`, InstanceType: 't3.large', AvailabilityZone: 'a', LifecycleState }) as GroupInstance;
const host = (id: string, change: object = {}, deletionTimestamp?: string): AWSMachine => ({
  apiVersion: pool.apiVersion,
  kind: 'AWSMachine',
  metadata: { namespace: 'default', name: `pool-${id}`, uid: id, ...(deletionTimestamp && { deletionTimestamp }) },
  spec: { instanceType: 't3.large', providerID: `aws:///a/i-${id}`, instanceID: `i-${id}` },
  ...change,
});
const hosts = (instances: GroupInstance[], awsMachines: AWSMachine[], machines: string[] = []): Hosts => ({
  pool,
  group: { AutoScalingGroupName: 'g', Instances: instances } as AutoScalingGroup,
  awsMachines: { state: 'found', value: awsMachines },
  machines: {
    state: 'found',
    value: machines.map((name) => ({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { namespace: 'default', name, uid: `m-${name}` },
    })),
  },
});
const owner = { name: 'pool', clusterName: 'demo' };

it('makes an AWSMachine for each instance that has none and is not on its way out', () => {
  const actions = missingHosts(
    hosts([instance('1'), instance('2'), instance('3', 'Terminating:Wait')], [host('1')]),
    owner,
  );
  expect(actions).toMatchObject([
    { do: 'create', object: { metadata: { name: 'pool-2' }, spec: { providerID: 'aws:///a/i-2' } } },
  ]);
});

describe('a Machine', () => {
  const failed = { status: { failureReason: 'UpdateError' } };
  it.each([
    { rule: 'stays while its instance is in service', of: [instance('1')], ends: [] },
    { rule: 'goes when Auto Scaling takes its instance', of: [instance('1', 'Terminating:Wait')], ends: ['Machine'] },
    { rule: 'stays when its instance merely left the group', of: [], ends: [] },
    { rule: 'goes when EC2 has ended its instance', of: [], change: failed, ends: ['Machine'] },
    {
      rule: 'is an AWSMachine where it was not made yet',
      of: [instance('1', 'Terminating')],
      none: true,
      ends: ['AWSMachine'],
    },
  ])('$rule', ({ of, change, none = false, ends }) => {
    const actions = endedMachines(hosts(of, [host('1', change)], none ? [] : ['pool-1']));
    expect(actions.map((action) => action.do === 'delete' && action.kind)).toEqual(ends);
  });
});

describe('the drain hook', () => {
  const waiting = [instance('1', 'Terminating:Wait')];
  it.each([
    {
      rule: 'holds the instance while its Node is drained',
      machines: [host('1')],
      call: 'RecordLifecycleActionHeartbeat',
    },
    {
      rule: 'lets it go when its AWSMachine goes',
      machines: [host('1', {}, '2026-01-01T00:00:00Z')],
      call: 'CompleteLifecycleAction',
    },
    { rule: 'lets it go when it never had one', machines: [], call: 'CompleteLifecycleAction' },
  ])('$rule', ({ machines, call }) =>
    expect(answerHooks(hosts(waiting, machines), 'r', {})).toMatchObject([{ operation: call, optional: true }]));

  it('is not asked of instances that do not wait', () =>
    expect(answerHooks(hosts([instance('1', 'Terminating')], []), 'r', {})).toEqual([]));
});
