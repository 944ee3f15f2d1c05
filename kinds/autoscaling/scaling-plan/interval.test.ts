import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { clusterSecret } from '../../core/contract/cluster-secrets.ts';
import { pushFiles } from '../../core/contract/push/configuration.ts';
import type { PushReason } from '../../core/contract/push/rules.ts';
import { minute, now, pending } from '../plan/plan.fixture.ts';
import type { Reports } from './interval.ts';
import type { Observed } from './observe.ts';
import { moving, object, observed } from './observed.fixture.ts';
import { reconcile } from './reconcile.ts';

const settings = { url: 'https://capstan/capstan.dev/audit' };
const reporting = { settings, namespace: 'default', cluster: 'c' };
const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' };
const secret = clusterSecret({ ...reporting, name: 'c-audit-webhook', owner, values: { token: 't' } });
/** The Pod of an API server that reports for these reasons. */
const apiServer = (...reasons: PushReason[]): KubeObject => {
  const patch = JSON.parse(pushFiles({ ...reporting, token: 't' }, reasons)[2]!.content) as { value: unknown }[];
  const command = ['kube-apiserver', ...(reasons.length > 0 ? patch.map(({ value }) => value) : [])];
  return object('Pod', 'p', { spec: { containers: [{ command }] } }, { labels: { component: 'kube-apiserver' } });
};
const reportsOf = (apiServers = [apiServer('autoscaling')]): Reports => ({
  reporting: { ...reporting, token: { state: 'found', value: secret } },
  apiServers,
});
const intervalOf = (of: Observed, more: Partial<Context> = {}) =>
  reconcile(of, { now, config: {}, attempts: 0, lastFailure: undefined, reported: now, ...more } as unknown as Context)
    .requeueAfter;
const renewed = object('Lease', 'cluster-autoscaler', { spec: { renewTime: new Date(now - 1000).toISOString() } });
const atMinimum = { annotations: { 'capstan.dev/autoscale-min': '1' }, machines: ['a'] };

describe('a cluster whose API servers report', () => {
  it.each<{ rule: string; of?: Parameters<typeof observed>[0]; more?: Partial<Context>; interval: number }>([
    { rule: 'five minutes while nothing waits', interval: 300 },
    { rule: 'five minutes at the minimum of its pools', of: atMinimum, interval: 300 },
    { rule: 'a minute while the time of an unneeded node runs', of: { machines: ['a'] }, interval: 60 },
    { rule: 'a minute while pods wait', of: { pods: pending(9), replicas: 5 }, interval: 60 },
    { rule: 'a minute while pods wait for a cheaper node', of: moving(), interval: 60 },
    {
      rule: 'a minute beside another autoscaler',
      of: { traces: { lease: { state: 'found', value: renewed } } },
      interval: 60,
    },
    {
      rule: 'a minute while a limit keeps its pools small',
      of: { annotations: { 'capstan.dev/autoscale-min': '2' }, spec: { limits: { nodes: 0 } } },
      interval: 60,
    },
    {
      rule: 'a quarter while a pool has headroom, which bindings take',
      of: { annotations: { 'capstan.dev/autoscale-headroom': 'pods=1 cpu=1' } },
      interval: 15,
    },
    {
      rule: 'until a node is due',
      of: { machines: ['a'], status: { history: { unneededSince: { a: now - 9.5 * minute } } } },
      interval: 30,
    },
    { rule: 'less in a fast simulation', more: { config: { speed: 10 } }, interval: 30 },
    { rule: 'a quarter before the first report', more: { reported: undefined as never }, interval: 15 },
    { rule: 'a quarter once reports cease', more: { reported: now - 391_000 }, interval: 15 },
    {
      rule: 'five minutes if the last report was recorded within them',
      more: { reported: now - 390_000 },
      interval: 300,
    },
  ])('rests for $rule', ({ of, more, interval }) =>
    expect(intervalOf({ ...observed(of), reports: reportsOf() }, more)).toBe(interval));
});

it.each<{ rule: string; reports?: Reports }>([
  { rule: 'cannot report' },
  { rule: 'were configured before the first pool', reports: reportsOf([apiServer('health-check')]) },
  { rule: 'report in part', reports: reportsOf([apiServer('autoscaling'), apiServer()]) },
  { rule: 'are not known', reports: reportsOf([]) },
  {
    rule: 'have a token that is gone',
    reports: { ...reportsOf(), reporting: { ...reportsOf().reporting, token: { state: 'absent' } } },
  },
])('a cluster whose API servers $rule is polled', ({ reports }) =>
  expect(intervalOf({ ...observed(), ...(reports && { reports }) })).toBe(15));

it.each<{ rule: string; more: Partial<Observed>; interval: number }>([
  { rule: 'that fails to answer is read again soon', more: { unreadable: 'timeout' }, interval: 15 },
  {
    rule: 'that the prober does not reach waits for it',
    more: { unreadable: 'x', isUnreachable: true },
    interval: 300,
  },
])('a cluster $rule', ({ more, interval }) => {
  const { workload: _, ...others } = observed();
  expect(intervalOf({ ...others, ...more })).toBe(interval);
});
