import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import type { Observed, Selected } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { GitOpsTarget, GitOpsTargetStatus } from './schema.ts';
import { secretOf } from './secrets.ts';
import { validateGitOpsTarget } from './validate.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const spec: GitOpsTarget['spec'] = {
  tool: 'Flux',
  kubeconfig: { secretName: 'platform' },
  clusterSelector: { matchLabels: { gitops: 'yes' } },
};
const targetWith = (clusters: string[], metadata: object = {}): GitOpsTarget => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'GitOpsTarget',
  metadata: { namespace: 'default', name: 'flux', ...metadata },
  spec,
  status: { clusters: clusters.map((name) => ({ name, secret: `default.${name}` })) } as GitOpsTargetStatus,
});
const clusterNamed = (name: string): Cluster =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace: 'default', name, uid: name, labels: { gitops: 'yes' } },
  }) as Cluster;
const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const absent: Read<KubeObject> = { state: 'absent' };
const secretFor = (name: string, kubeconfig = 'k', of = targetWith([])) => secretOf(clusterNamed(name), kubeconfig, of);
const ofAnother = found(secretFor('a', 'k', targetWith([], { name: 'other' })));
const unmarked = found({
  ...secretFor('a'),
  metadata: { ...secretFor('a').metadata, annotations: { 'capstan.dev/cluster-uid': 'a' } },
});
const left = (name: string, live: Read<KubeObject> = found(secretFor(name))) => [
  { name, secret: `default.${name}`, live },
];
const selected = (name: string, of: Partial<Selected> = {}): Selected => ({
  cluster: clusterNamed(name),
  wanted: secretFor(name),
  live: absent,
  ...of,
});

const summary = (action: Action): string => {
  if (action.do !== 'call') return action.do;
  const { name, object } = action.input as { name?: string; object?: KubeObject };
  return `${action.operation} ${name ?? object?.metadata.name}`;
};
const planOf = (of: Partial<Observed>, context: Partial<Context> = {}) =>
  reconcile({ target: targetWith([]), access: { kubeconfig: 'target' }, selected: [], left: [], ...of }, {
    now,
    config: {},
    ...context,
  } as Context);
const decided = (...given: Parameters<typeof planOf>) => {
  const plan = planOf(...given);
  return {
    does: (plan.actions ?? []).map(summary),
    reason: plan.status?.conditions?.[0]?.reason,
    clusters: plan.status?.clusters?.map(({ name }) => name),
  };
};

describe('a GitOpsTarget', () => {
  it.each<{ rule: string; given: Partial<Observed>; decides: ReturnType<typeof decided> }>([
    {
      rule: 'records a cluster before it is registered',
      given: { selected: [selected('a')] },
      decides: { does: [], reason: 'Registering', clusters: ['a'] },
    },
    {
      rule: 'registers what it recorded',
      given: { target: targetWith(['a']), selected: [selected('a')] },
      decides: { does: ['applyServerSide default.a'], reason: 'Registered', clusters: ['a'] },
    },
    {
      rule: 'does nothing about what is registered',
      given: { target: targetWith(['a']), selected: [selected('a', { live: found(secretFor('a')) })] },
      decides: { does: [], reason: 'Registered', clusters: ['a'] },
    },
    {
      rule: 'follows a kubeconfig',
      given: { target: targetWith(['a']), selected: [selected('a', { live: found(secretFor('a', 'before')) })] },
      decides: { does: ['applyServerSide default.a'], reason: 'Registered', clusters: ['a'] },
    },
    {
      rule: 'removes what is not selected any more, beside what waits',
      given: { target: targetWith(['a']), selected: [selected('b', { wanted: 'waits' })], left: left('a') },
      decides: { does: ['delete default.a'], reason: 'WaitingForClusters', clusters: [] },
    },
    {
      rule: 'forgets a Secret that another target has, and leaves it there',
      given: { target: targetWith(['a']), left: left('a', ofAnother) },
      decides: { does: [], reason: 'Registered', clusters: [] },
    },
    {
      rule: 'keeps the record of what it cannot remove',
      given: { target: targetWith(['a']), left: left('a', { state: 'unreadable', reason: 'no route to host' }) },
      decides: { does: [], reason: 'TargetUnreachable', clusters: ['a'] },
    },
    {
      rule: 'leaves a Secret of another target alone',
      given: { target: targetWith(['a']), selected: [selected('a', { live: ofAnother })] },
      decides: { does: [], reason: 'NameTaken', clusters: [] },
    },
    {
      rule: 'marks a Secret of Capstan that names no target',
      given: { target: targetWith(['a']), selected: [selected('a', { live: unmarked })] },
      decides: { does: ['applyServerSide default.a'], reason: 'Registered', clusters: ['a'] },
    },
    {
      rule: 'leaves a Secret of another client alone',
      given: { selected: [selected('a', { live: found({ ...secretFor('a'), metadata: { name: 'default.a' } }) })] },
      decides: { does: [], reason: 'NameTaken', clusters: [] },
    },
    {
      rule: 'keeps its records while the target does not answer',
      given: {
        target: targetWith(['a']),
        selected: [selected('a', { live: { state: 'unreadable', reason: 'no route to host' } })],
      },
      decides: { does: [], reason: 'TargetUnreachable', clusters: ['a'] },
    },
    {
      rule: 'reports a target without a kubeconfig',
      given: { target: targetWith(['a']), access: { fault: 'Secret platform does not exist' } },
      decides: { does: [], reason: 'TargetUnknown', clusters: ['a'] },
    },
  ])('$rule', ({ given, decides }) => expect(decided(given)).toEqual(decides));

  const deleting = targetWith(['a'], { deletionTimestamp: '2026-01-01T00:50:00Z' });
  const failed = {
    lastFailure: { port: 'workload', operation: 'delete', code: 'Unreachable', message: 'no', at: now },
  };
  const old = targetWith(['a'], { deletionTimestamp: '2026-01-01T00:40:00Z' });
  const unreadable = left('a', { state: 'unreadable', reason: 'no route to host' });
  it.each([
    { rule: 'unregisters its clusters', target: deleting, left: left('a'), context: {}, does: ['delete default.a'] },
    { rule: 'removes what names no target', target: deleting, left: left('a', unmarked), does: ['delete default.a'] },
    { rule: 'leaves what another target has', target: deleting, left: left('a', ofAnother), does: [] },
    {
      rule: 'tries again when that failed',
      target: deleting,
      left: left('a'),
      context: failed,
      does: ['delete default.a'],
    },
    { rule: 'gives up after a quarter of an hour', target: old, left: left('a'), context: failed, does: [] },
    { rule: 'gives up what it cannot read then, too', target: old, left: unreadable, does: [] },
  ])('in deletion $rule', ({ target, left, context, does }) => {
    const plan = planOf({ target, left }, context);
    expect(plan).toMatchObject({ finished: true });
    expect((plan.actions ?? []).map(summary)).toEqual(does);
  });

  it('in deletion waits for a target that does not answer', () => {
    const plan = planOf({ target: deleting, left: unreadable });
    expect(plan).toEqual({ requeueAfter: 60 });
  });

  it.each([
    { rule: 'selects something', changed: { clusterSelector: {} }, field: 'spec.clusterSelector' },
    { rule: 'has a project of Argo CD alone', changed: { project: 'apps' }, field: 'spec.project' },
    { rule: 'stays with its tool', changed: { tool: 'ArgoCD' as const }, field: 'spec.tool' },
  ])('$rule', ({ changed, field }) => {
    const object = { ...targetWith([]), spec: { ...spec!, ...changed } };
    const admission = { operation: 'update' as const, user: { username: 'a', groups: [] }, dryRun: false };
    const faults = validateGitOpsTarget(object, { ...admission, old: targetWith([]) });
    expect(faults.map((one) => one.field)).toEqual([field]);
  });
});
