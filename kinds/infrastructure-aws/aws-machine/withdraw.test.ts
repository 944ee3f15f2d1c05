import { expect, it } from 'vitest';
import type { Context, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import type { Observed } from './observe.ts';
import { secretsLast, withdrawn } from './withdraw.ts';

const random = { suffix: () => '', pick: <T>(from: readonly T[]) => from.at(-1)!, token: () => '' };
const now = Date.UTC(2026, 0, 1);
const prefix = 'aws.cluster.x-k8s.io/a';
const observedWith = (age: number, more: object = {}, cloudInit: object = { secretPrefix: prefix, secretCount: 1 }) =>
  ({
    awsMachine: {
      metadata: { name: 'one', namespace: 'default', uid: 'u' },
      spec: { cloudInit },
      status: { ready: true },
    },
    owner: { installation: 'here', clusterUid: 'c', clusterName: 'demo', additionalTags: {} },
    region: 'eu-west-1',
    cloud: 'known',
    launch: { tried: now - age },
    instances: [{ InstanceId: 'i-1' }],
    ...more,
  }) as unknown as Observed;
const launching: Plan = { actions: [{ do: 'call', port: 'cloud', operation: 'RunInstances', input: {} }] };
const deleting: Plan = {
  actions: [{ do: 'call', port: 'cloud', operation: 'DeleteSecret', input: {}, group: 'bootstrap-secrets' }],
};

interface Given {
  rule: string;
  plan?: Plan;
  of: Observed;
  lastFailure?: Failure;
  deletes: boolean;
  requeueAfter?: number;
  events?: string[];
}
const cases: Given[] = [
  {
    rule: 'withdraws nothing early, and requeues in time',
    of: observedWith(secretsLast - 90_500),
    deletes: false,
    requeueAfter: 91,
  },
  {
    rule: 'keeps an earlier requeue',
    plan: { requeueAfter: 5 },
    of: observedWith(0),
    deletes: false,
    requeueAfter: 5,
  },
  {
    rule: 'deletes unread data at its deadline, with an Event',
    of: observedWith(secretsLast),
    deletes: true,
    requeueAfter: 1,
    events: ['Warning'],
  },
  {
    rule: 'records no Warning for a launch without an instance, because the next one creates its own secrets',
    of: observedWith(secretsLast, { instances: [] }),
    deletes: true,
    requeueAfter: 1,
    events: ['Normal'],
  },
  {
    rule: 'records no Warning for an instance that was not observed since, for example while paused, because it may have joined',
    of: observedWith(secretsLast, {
      awsMachine: {
        metadata: { name: 'one' },
        spec: { cloudInit: { secretPrefix: prefix, secretCount: 1 } },
        status: {},
      },
    }),
    deletes: true,
    requeueAfter: 1,
    events: ['Normal'],
  },
  {
    rule: 'records one Event, however often the deletion fails',
    of: observedWith(secretsLast),
    lastFailure: { group: 'bootstrap-secrets' } as Failure,
    deletes: true,
    requeueAfter: 8,
    events: [],
  },
  { rule: 'keeps the secrets of a new launch', plan: launching, of: observedWith(secretsLast), deletes: false },
  {
    rule: 'deletes secrets once when the plan already does',
    plan: deleting,
    of: observedWith(secretsLast),
    deletes: false,
  },
  { rule: 'does nothing without secrets', of: observedWith(secretsLast, {}, {}), deletes: false },
  {
    rule: 'decides nothing while the account is unread',
    of: observedWith(secretsLast, { cloud: 'unread' }),
    deletes: false,
  },
];

it.each(cases)('$rule', ({ plan = {}, of, lastFailure, deletes, requeueAfter, events = [] }) => {
  const after = withdrawn(plan, of, { now, lastFailure, attempts: 3, random } as Context);
  const added = (after.actions ?? []).slice(plan.actions?.length ?? 0);
  expect(added.length > 0).toBe(deletes);
  if (deletes) expect(JSON.stringify(added)).toContain(`${prefix}-0`);
  expect(after.requeueAfter).toBe(requeueAfter);
  expect((after.events ?? []).map(({ type }) => type)).toEqual(events);
});
