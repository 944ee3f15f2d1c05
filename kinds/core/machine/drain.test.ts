import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { rulesFor } from '../machine-drain-rule/applies.ts';
import type { MachineDrainRule, MachineDrainRuleSpec } from '../machine-drain-rule/schema.ts';
import { type Drain, type DrainFacts, drainMessage, drainOf, isDrained } from './drain.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
interface Pod {
  labels?: Record<string, string>;
  namespace?: string;
  isGoing?: boolean;
  phase?: string;
}
const podOf = (name: string, { labels, namespace = 'shop', isGoing, phase = 'Running' }: Pod): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    ...(labels && { labels }),
    ...(isGoing && { deletionTimestamp: '2026-01-01T11:59:00Z' }),
  },
  status: { phase },
});
const rule = (name: string, drain: MachineDrainRuleSpec['drain'], of: Partial<MachineDrainRuleSpec> = {}) =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDrainRule',
    metadata: { name, namespace: 'default' },
    spec: { drain, ...of },
  }) as MachineDrainRule;
const app = (app: string) => ({ selector: { matchLabels: { app } } });

const drained = (pods: Record<string, Pod>, rules: MachineDrainRule[] = [], facts: Partial<DrainFacts> = {}): Drain =>
  drainOf({
    pods: Object.entries(pods).map(([name, pod]) => podOf(name, pod)),
    daemonSets: new Set(),
    rules,
    namespaces: new Map([
      ['shop', { tier: 'front' }],
      ['bank', { tier: 'back' }],
    ]),
    unreachable: false,
    now,
    ...facts,
  });
const names = (drain: Drain) =>
  Object.fromEntries(
    Object.entries(drain)
      .map(([group, pods]) => [group, (pods as KubeObject[]).map(({ metadata }) => metadata.name)])
      .filter(([, pods]) => pods!.length > 0),
  );

describe('a MachineDrainRule', () => {
  const web = { labels: { app: 'web' } };
  const db = { labels: { app: 'db' } };
  it.each<{ what: string; pods: Record<string, Pod>; rules?: MachineDrainRule[]; is: Record<string, string[]> }>([
    { what: 'is optional', pods: { a: {}, b: {} }, is: { toEvict: ['a', 'b'] } },
    {
      what: 'skips pods',
      pods: { web, db },
      rules: [rule('skip-db', { behavior: 'Skip' }, { pods: [app('db')] })],
      is: { toEvict: ['web'], skipped: ['db'] },
    },
    {
      what: 'without a pod selector applies to all pods',
      pods: { web, db },
      rules: [rule('all', { behavior: 'Skip' })],
      is: { skipped: ['db', 'web'] },
    },
    {
      what: 'waits for pods to complete',
      pods: { web, db, done: { ...db, phase: 'Succeeded' } },
      rules: [rule('wait', { behavior: 'WaitCompleted' }, { pods: [app('db')] })],
      is: { toEvict: ['web'], toComplete: ['db'] },
    },
    {
      what: 'of a higher order waits for the others',
      pods: { web, db },
      rules: [rule('late', { behavior: 'Drain', order: 10 }, { pods: [app('db')] })],
      is: { toEvict: ['web'], toEvictLater: ['db'] },
    },
    {
      what: 'of a lower order comes first, and pods to complete later',
      pods: { web, db, batch: { labels: { app: 'batch' } } },
      rules: [
        rule('first', { behavior: 'Drain', order: -1 }, { pods: [app('db')] }),
        rule('wait', { behavior: 'WaitCompleted' }, { pods: [app('batch')] }),
      ],
      is: { toEvict: ['db'], toEvictLater: ['web'], toCompleteLater: ['batch'] },
    },
    {
      what: 'defers later orders while earlier pods terminate',
      pods: { web: { ...web, isGoing: true }, db },
      rules: [rule('late', { behavior: 'Drain', order: 10 }, { pods: [app('db')] })],
      is: { deleting: ['web'], toEvictLater: ['db'] },
    },
    {
      what: 'yields to the label on the pod',
      pods: { web: { labels: { app: 'web', 'cluster.x-k8s.io/drain': 'wait-completed' } } },
      rules: [rule('skip', { behavior: 'Skip' }, { pods: [app('web')] })],
      is: { toComplete: ['web'] },
    },
    {
      what: 'selects namespaces',
      pods: { here: {}, there: { namespace: 'bank' } },
      rules: [rule('back', { behavior: 'Skip' }, { pods: [{ namespaceSelector: { matchLabels: { tier: 'back' } } }] })],
      is: { toEvict: ['here'], skipped: ['there'] },
    },
    {
      what: 'applies in order of name',
      pods: { web },
      rules: [rule('b', { behavior: 'Skip' }), rule('a', { behavior: 'WaitCompleted' })],
      is: { toComplete: ['web'] },
    },
  ])('$what', ({ pods, rules = [], is }) => {
    const machine = { apiVersion: '', kind: 'Machine', metadata: { name: 'm' } };
    expect(names(drained(pods, rulesFor(rules, machine, undefined)))).toEqual(is);
  });

  it.each([
    { what: 'without a machine selector', of: {}, applies: true },
    { what: 'that selects the Machine', of: { selector: { matchLabels: { role: 'worker' } } }, applies: true },
    { what: 'that selects other Machines', of: { selector: { matchLabels: { role: 'other' } } }, applies: false },
    { what: 'that selects its Cluster', of: { clusterSelector: { matchLabels: { env: 'prod' } } }, applies: true },
    {
      what: 'that selects the Machine, but another Cluster',
      of: { selector: { matchLabels: { role: 'worker' } }, clusterSelector: { matchLabels: { env: 'test' } } },
      applies: false,
    },
  ])('$what: $applies', ({ of, applies }) => {
    const object = (kind: string, labels: Record<string, string>) => ({
      apiVersion: '',
      kind,
      metadata: { name: 'x', labels },
    });
    const machines = Object.keys(of).length > 0 ? { machines: [of] } : {};
    const rules = [rule('r', { behavior: 'Skip' }, machines)];
    const found = rulesFor(rules, object('Machine', { role: 'worker' }), object('Cluster', { env: 'prod' }));
    expect(found).toHaveLength(applies ? 1 : 0);
  });
});

it('completes only when no pod is left, including later orders', () => {
  expect(isDrained(drained({ a: { labels: { 'cluster.x-k8s.io/drain': 'skip' } } }))).toBe(true);
  const last = rule('late', { behavior: 'Drain', order: 10 });
  expect(isDrained(drained({ a: {} }, [last]))).toBe(false);
});

it('names the pods that wait for their turn', () => {
  const last = rule('late', { behavior: 'Drain', order: 10 }, { pods: [app('db')] });
  const drain = drained({ web: { isGoing: true }, db: { labels: { app: 'db' } } }, [last]);
  expect(drainMessage(drain, '2026-01-01T11:00:00Z', undefined)).toBe(
    [
      'Drain not completed yet (started at 2026-01-01T11:00:00Z):',
      '* Pod shop/web: deletionTimestamp set, but still not removed from the Node',
      'After above Pods have been removed from the Node, the following Pods will be evicted: shop/db',
    ].join('\n'),
  );
});
