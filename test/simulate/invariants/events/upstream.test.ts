import { describe, expect, it } from 'vitest';
import { doneEvents, failedEvents } from '../../../../kinds/infrastructure-aws/network/events.ts';
import { types } from '../../../../kinds/infrastructure-aws/network/resources/index.ts';
import { differenceFromUpstream, upstreamEvents } from './upstream.ts';

const about = (kind: string, group = 'cluster.x-k8s.io') => ({ apiVersion: `${group}/v1beta2`, kind });

describe('an Event', () => {
  it.each([
    { rule: 'is of the object that upstream chooses', type: 'Normal', reason: 'MachineMarkedUnhealthy', of: 'Machine' },
    {
      rule: 'is not of another object',
      type: 'Normal',
      reason: 'MachineMarkedUnhealthy',
      of: 'MachineHealthCheck',
      is: "MachineMarkedUnhealthy is of MachineHealthCheck, and upstream's of Machine",
    },
    {
      rule: 'is not of another type',
      type: 'Normal',
      reason: 'FailedDrainNode',
      of: 'Machine',
      is: "FailedDrainNode is Normal, and upstream's is Warning",
    },
    { rule: 'may be one that upstream does not have', type: 'Warning', reason: 'SnapshotLate', of: 'Cluster' },
    {
      rule: 'may be of a kind of Capstan',
      type: 'Normal',
      reason: 'Deleted',
      of: 'EtcdSnapshot',
      group: 'capstan.dev',
    },
  ])('$rule', ({ type, reason, of, group, is }) => {
    const metadata = { name: 'e', namespace: 'default' };
    const event = { apiVersion: 'v1', kind: 'Event', metadata, type, reason, involvedObject: about(of, group) };
    expect(differenceFromUpstream(event)).toBe(is);
  });
});

it('of an AWSCluster has the reason that the AWS provider gives, where that has one', () => {
  const operations = [...new Set(Object.values(types).flatMap(({ events }) => events))];
  const reasons = operations.flatMap((operation) => {
    const [done] = doneEvents([{ do: 'call', port: 'cloud', operation, input: {} }]);
    const [failed] = failedEvents({ port: 'cloud', operation, code: 'X', message: '', at: 0 });
    return [done?.reason ?? '', failed?.reason ?? ''];
  });
  expect(reasons.filter((reason) => !upstreamEvents.has(reason)).sort()).toEqual(
    // Upstream records none for load balancers.
    ['LoadBalancer', 'ClassicLoadBalancer']
      .flatMap((balancer) => [`Create${balancer}`, `Delete${balancer}`])
      .flatMap((word) => [`Failed${word}`, `Successful${word}`])
      .sort(),
  );
});
