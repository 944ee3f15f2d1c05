import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Reader } from '../../../machinery/api/reconcile.ts';
import type { ClusterResourceSetBinding } from '../cluster-resource-set-binding/schema.ts';
import { parseManifests } from './manifests.ts';
import { type Observed, observe, type Target } from './observe.ts';
import { reconcile } from './reconcile.ts';
import { referencesOfSet } from './references.ts';
import type { ClusterResourceSet } from './schema.ts';

const context: Context = {
  now: Date.parse('2026-01-01T00:00:00Z'),
  random: { suffix: () => 'aaaaa', pick: (from) => from[0]!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'i',
  config: {},
  awaits: [],
};

const set = (over: Partial<ClusterResourceSet['spec']> = {}, deleting = false): ClusterResourceSet => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: {
    name: 'ccm',
    namespace: 'ns',
    uid: 'set',
    ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: {
    clusterSelector: { matchLabels: { ccm: 'external' } },
    resources: [{ kind: 'ConfigMap', name: 'addon' }],
    strategy: 'ApplyOnce',
    ...over,
  },
});
const owner = { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: 'ClusterResourceSet', name: 'ccm', uid: 'set' };

const older = { ...owner, apiVersion: 'addons.cluster.x-k8s.io/v1beta1' };

const manifest =
  'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\n---\nkind: Namespace\napiVersion: v1\nmetadata: {name: ns}\n';
const configMap = (over: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'addon', namespace: 'ns', uid: 'cm', resourceVersion: '7', ownerReferences: [owner] },
  data: { 'a.yaml': manifest },
  ...over,
});
const ofCluster = { 'cluster.x-k8s.io/cluster-name': 'c' };
const binding = (applied: boolean, hash?: string, owners = [owner]): ClusterResourceSetBinding => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSetBinding',
  metadata: { name: 'c', namespace: 'ns', uid: 'b', resourceVersion: '9', labels: ofCluster, ownerReferences: owners },
  spec: {
    clusterName: 'c',
    bindings: [
      {
        clusterResourceSetName: 'ccm',
        resources: [{ kind: 'ConfigMap', name: 'addon', applied, ...(hash !== undefined && { hash }) }],
      },
    ],
  },
});
const target = (bound: ClusterResourceSetBinding | undefined, answers = true): Target => ({
  cluster: { apiVersion: 'x', kind: 'Cluster', metadata: { name: 'c', namespace: 'ns' } },
  binding: bound ? { state: 'found', value: bound } : { state: 'absent' },
  ...(answers && { kubeconfig: 'kc' }),
});
const observed = (over: Partial<Observed> = {}): Observed => ({
  set: set(),
  resources: [{ ref: { kind: 'ConfigMap', name: 'addon' }, object: { state: 'found', value: configMap() } }],
  targets: [target(binding(false))],
  bindings: { state: 'found', value: [] },
  orphans: [],
  formers: [],
  ...over,
});

const summaryOf = (action: Action): string => {
  switch (action.do) {
    case 'call':
      return `${action.operation} ${((action.input as JsonObject).object as JsonObject).kind}`;
    case 'create':
      return `create ${action.object.kind}`;
    default:
      return `${action.do} ${action.kind}`;
  }
};
const does = (o: Observed) => (reconcile(o, context).actions ?? []).map(summaryOf);
const condition = (o: Observed, c = context) =>
  (reconcile(o, c).status?.conditions as unknown as { status: string; reason: string; message: string }[])[0]!;

const hash = (() => {
  const plan = reconcile(observed(), context);
  const patch = plan.actions!.at(-1) as unknown as {
    patch: { spec: { bindings: { resources: { hash: string }[] }[] } };
  };
  return patch.patch.spec.bindings[0]!.resources[0]!.hash;
})();

describe('ClusterResourceSet', () => {
  it.each<{ rule: string; given: Observed; expect: string[] }>([
    {
      rule: 'creates a binding before it applies',
      given: observed({ targets: [target(undefined)] }),
      expect: ['create ClusterResourceSetBinding'],
    },
    {
      rule: 'applies in install order, then records the result',
      given: observed(),
      expect: ['create Namespace', 'create DaemonSet', 'patch ClusterResourceSetBinding'],
    },
    {
      rule: 'applies once under the strategy ApplyOnce',
      given: observed({ targets: [target(binding(true, 'sha256:old'))] }),
      expect: [],
    },
    {
      rule: 'marks the binding again when the content changed under Reconcile',
      given: observed({ set: set({ strategy: 'Reconcile' }), targets: [target(binding(true, 'sha256:old'))] }),
      expect: ['patch ClusterResourceSetBinding'],
    },
    {
      rule: 'merges into existing objects under Reconcile',
      given: observed({ set: set({ strategy: 'Reconcile' }) }),
      expect: ['apply Namespace', 'apply DaemonSet', 'patch ClusterResourceSetBinding'],
    },
    {
      rule: 'is idle when the current content is applied',
      given: observed({ set: set({ strategy: 'Reconcile' }), targets: [target(binding(true, hash))] }),
      expect: [],
    },
    {
      rule: 'waits for an API server that does not answer',
      given: observed({ targets: [target(binding(false), false)] }),
      expect: [],
    },
    {
      rule: 'takes ownership of its resources',
      given: observed({
        targets: [],
        resources: [
          {
            ref: { kind: 'ConfigMap', name: 'addon' },
            object: { state: 'found', value: configMap({ metadata: { name: 'addon', uid: 'cm' } }) },
          },
        ],
      }),
      expect: ['patch ConfigMap'],
    },
    {
      rule: 'joins a binding that another set created',
      given: observed({ targets: [target(binding(false, undefined, []))] }),
      expect: ['patch ClusterResourceSetBinding'],
    },
    {
      rule: 'restores the owner references of a binding',
      given: observed({
        targets: [target(binding(true, 'sha256:old', []))],
        bindings: { state: 'found', value: [binding(true, 'sha256:old', [])] },
      }),
      expect: ['patch ClusterResourceSetBinding'],
    },
    {
      rule: 'updates the apiVersion of its owner references in resources and bindings',
      given: observed({
        targets: [target(binding(true, 'sha256:old', [older]))],
        bindings: { state: 'found', value: [binding(true, 'sha256:old', [older])] },
        resources: [
          {
            ref: { kind: 'ConfigMap', name: 'addon' },
            object: {
              state: 'found',
              value: configMap({ metadata: { name: 'addon', uid: 'cm', ownerReferences: [older] } }),
            },
          },
        ],
      }),
      expect: ['patch ConfigMap', 'patch ClusterResourceSetBinding'],
    },
    {
      rule: 'leaves a binding to its deleted Cluster',
      given: observed({ targets: [], orphans: [binding(true)] }),
      expect: ['delete ClusterResourceSetBinding'],
    },
    {
      rule: 'removes itself from its bindings when it is deleted, and keeps the workload cluster unchanged',
      given: observed({ set: set({}, true), targets: [], bindings: { state: 'found', value: [binding(true)] } }),
      expect: ['delete ClusterResourceSetBinding'],
    },
  ])('$rule', ({ given, expect: wanted }) => expect(does(given)).toEqual(wanted));

  it('keeps its finalizer while bindings are unreadable', () => {
    const unread = observed({ set: set({}, true), bindings: { state: 'unreadable', reason: 'throttled' } });
    expect(reconcile(unread, context)).toEqual({});
    expect(reconcile(observed({ set: set({}, true) }), context).finished).toBe(true);
  });

  it.each([
    {
      rule: 'is True when everything is applied',
      given: observed({ targets: [target(binding(true))] }),
      status: 'True',
      reason: 'Applied',
      message: '',
    },
    {
      rule: 'names a missing resource',
      given: observed({
        resources: [{ ref: { kind: 'ConfigMap', name: 'addon' }, object: { state: 'absent' } }],
        targets: [],
      }),
      status: 'False',
      reason: 'NotApplied',
      message: 'ConfigMap addon: not found',
    },
    {
      rule: 'rejects a Secret of another type',
      given: observed({
        resources: [
          {
            ref: { kind: 'Secret', name: 's' },
            object: { state: 'found', value: configMap({ kind: 'Secret', type: 'Opaque' }) },
          },
        ],
      }),
      status: 'False',
      reason: 'WrongSecretType',
      message: 'Secret s must have type addons.cluster.x-k8s.io/resource-set',
    },
    {
      rule: 'reports an invalid manifest',
      given: observed({
        resources: [
          {
            ref: { kind: 'ConfigMap', name: 'addon' },
            object: { state: 'found', value: configMap({ data: { a: 'kind: X' } }) },
          },
        ],
      }),
      status: 'False',
      reason: 'NotApplied',
      message: 'ConfigMap addon: an object has no apiVersion, kind or metadata.name\nCluster c: not applied yet',
    },
  ])('ResourcesApplied: $rule', ({ given, status, reason, message }) =>
    expect(condition(given)).toMatchObject({ status, reason, message }));

  it.each([
    { rule: 'a full success', kind: 'ConfigMap', applied: true, says: { status: 'True' } },
    {
      rule: 'a failure',
      kind: 'ConfigMap',
      applied: false,
      says: { status: 'False', severity: 'Warning', reason: 'ApplyFailed', message: 'Cluster c: not applied yet' },
    },
    {
      rule: 'a Secret of another type',
      kind: 'Secret',
      applied: true,
      says: {
        status: 'False',
        severity: 'Warning',
        reason: 'WrongSecretType',
        message: 'Secret addon must have type addons.cluster.x-k8s.io/resource-set',
      },
    },
  ] as const)('reports to v1beta1 clients: $rule', ({ kind, applied, says }) => {
    const resources = [
      { ref: { kind, name: 'addon' }, object: { state: 'found', value: configMap({ kind }) } },
    ] as const;
    const { status } = reconcile(observed({ resources: [...resources], targets: [target(binding(applied))] }), context);
    expect(status?.deprecated).toEqual({ v1beta1: { conditions: [{ type: 'ResourcesApplied', ...says }] } });
  });

  it.each([
    { rule: 'reports an error of the workload cluster', group: 'c', says: 'DaemonSet d is invalid' },
    { rule: 'reports no error of another workload cluster', group: 'other', says: 'not applied yet' },
    { rule: 'reports an error that concerns all of them', group: undefined, says: 'DaemonSet d is invalid' },
  ])('$rule', ({ group, says }) => {
    const lastFailure = {
      port: 'workload',
      operation: 'create',
      code: 'Invalid',
      message: 'DaemonSet d is invalid',
      at: 0,
      ...(group && { group }),
    };
    expect(condition(observed(), { ...context, lastFailure }).message).toBe(`Cluster c: ${says}`);
  });
});

describe('under a ClusterOperation', () => {
  const operated = (target: string | undefined): KubeObject => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: {
      name: 'c',
      namespace: 'ns',
      uid: 'cu',
      labels: { ccm: 'external' },
      annotations: { 'capstan.dev/operation': 'c-create-1', ...(target && { 'capstan.dev/target': target }) },
    },
  });
  const seen: KubeObject = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: {
      name: 'c',
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cu' }],
    },
    spec: { reachable: true },
  };
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'c-kubeconfig' },
    data: { value: '' },
  };
  const readOf = (objects: Record<string, KubeObject | undefined>) => {
    const asked = new Set<string>();
    const read = {
      get: (kind: string) => {
        asked.add(kind);
        return objects[kind] ? { state: 'found', value: objects[kind] } : { state: 'absent' };
      },
      list: (kind: string) => ({ state: 'found', value: objects[kind] ? [objects[kind]] : [] }),
    } as unknown as Reader;
    return { asked, read };
  };
  /** The objects in the store next to a cluster whose API server answers. */
  const world = (
    target: string | undefined,
    bound?: ClusterResourceSetBinding,
    workflows = true,
  ): [Observed, Context] => {
    const objects: Record<string, KubeObject | undefined> = {
      Cluster: operated(target),
      ClusterResourceSetBinding: bound,
      ConfigMap: configMap(),
      WorkloadSnapshot: seen,
      Secret: secret,
    };
    const asked: Context = { ...context, config: { workflows } };
    return [observe(set(), readOf(objects).read, asked), asked];
  };
  const acts = (...of: Parameters<typeof world>) => (reconcile(...world(...of)).actions ?? []).map(summaryOf);
  const says = (...of: Parameters<typeof world>) => {
    const [observation, asked] = world(...of);
    return condition(observation, asked);
  };
  const applies = ['create Namespace', 'create DaemonSet', 'patch ClusterResourceSetBinding'];
  const shared = binding(true);
  shared.spec!.bindings!.push({ clusterResourceSetName: 'other', resources: [] });
  it.each<{ rule: string; target?: string; bound?: ClusterResourceSetBinding; does: string[] }>([
    { rule: 'applies to a cluster that is being built', target: 'Build', bound: binding(false), does: applies },
    { rule: 'applies nothing to a cluster that is not admitted', bound: binding(false), does: [] },
    { rule: 'creates no binding for a cluster that is not admitted', does: [] },
    { rule: 'applies nothing while the cluster is held', target: 'Hold', bound: binding(false), does: [] },
    { rule: 'keeps the binding while the cluster is held', target: 'Hold', bound: binding(true), does: [] },
    {
      rule: 'deletes its binding in a teardown',
      target: 'Nothing',
      bound: binding(true),
      does: ['delete ClusterResourceSetBinding'],
    },
    {
      rule: 'removes its entry from a shared binding in a teardown',
      target: 'Nothing',
      bound: shared,
      does: ['patch ClusterResourceSetBinding'],
    },
    { rule: 'is idle in a teardown without a binding', target: 'Nothing', does: [] },
    { rule: 'creates a new binding for the next attempt', target: 'Build', does: ['create ClusterResourceSetBinding'] },
    { rule: 'applies once in the next attempt', target: 'Build', bound: binding(true), does: [] },
  ])('$rule', ({ target, bound, does: wanted }) => expect(acts(target, bound)).toEqual(wanted));
  it('applies again to a new cluster of the same name', () => {
    const made = (object: KubeObject, creationTimestamp: string) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp },
    });
    const plan = (bound: string, cluster: string) => {
      const both = { ...shared, metadata: { ...shared.metadata, creationTimestamp: bound } };
      const { read } = readOf({
        Cluster: made(operated('Build'), cluster),
        ClusterResourceSetBinding: both,
        ConfigMap: configMap(),
        WorkloadSnapshot: seen,
        Secret: secret,
      });
      return reconcile(observe(set(), read, context), context);
    };
    const { actions = [], again, status } = plan('2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z');
    expect(actions.map(summaryOf)).toEqual(['delete ClusterResourceSetBinding']);
    expect(again).toBe(true);
    expect(status).toMatchObject({ conditions: [{ status: 'False', message: 'Cluster c: not applied yet' }] });
    expect(plan('2026-01-01T01:00:00Z', '2026-01-01T01:00:00Z').actions).toEqual([]);
  });
  it('selects clusters by label', () => {
    const asked: unknown[] = [];
    const read = {
      get: () => ({ state: 'absent' }),
      list: (kind: string, where: object) => {
        asked.push([kind, where]);
        return { state: 'found', value: [] };
      },
    } as unknown as Reader;
    observe(set(), read, context);
    expect(asked).toContainEqual(['Cluster', { namespace: 'ns', labels: { matchLabels: { ccm: 'external' } } }]);
  });
  it.each<{ rule: string; bound: ClusterResourceSetBinding; asks: string[] }>([
    {
      rule: 'everything while something is not applied',
      bound: binding(false),
      asks: ['ConfigMap', 'WorkloadSnapshot', 'Secret'],
    },
    { rule: 'only the resources when all is applied', bound: binding(true, hash), asks: ['ConfigMap'] },
  ])('reads for each cluster: $rule', ({ bound, asks }) => {
    const { asked, read } = readOf({
      Cluster: operated('Build'),
      ClusterResourceSetBinding: bound,
      ConfigMap: configMap(),
      WorkloadSnapshot: seen,
    });
    observe(set(), read, context);
    expect([...asked]).toEqual(asks);
  });
  it('passes again after it applied, because no event announces its own record', () =>
    expect(reconcile(observed(), context)).toMatchObject({
      again: true,
      status: { conditions: [{ type: 'ResourcesApplied', status: 'False' }] },
    }));

  it('requeues while a reachable cluster has no kubeconfig Secret, because no event announces it', () => {
    const objects = { Cluster: operated('Build'), ClusterResourceSetBinding: binding(false), ConfigMap: configMap() };
    const dueOf = (more: Record<string, KubeObject>) =>
      reconcile(observe(set(), readOf({ ...objects, ...more }).read, context), context).requeueAfter;
    expect(dueOf({ WorkloadSnapshot: seen })).toBe(60);
    expect(dueOf({ WorkloadSnapshot: { ...seen, spec: { reachable: false } } })).toBe(undefined);
    expect(dueOf({ WorkloadSnapshot: seen, Secret: secret })).toBe(undefined);
  });
  it('reports missing resources of a cluster rather than the state of its API server', () => {
    const unreadable = configMap({ data: { 'a.yaml': '{' } });
    const { read } = readOf({ Cluster: operated('Build'), ConfigMap: unreadable });
    expect(condition(observe(set(), read, context)).message).toMatch(/\nCluster c: not applied yet$/);
  });
  it('parses manifests as Kubernetes does: the last value of a repeated key wins', () => {
    const text =
      'apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {from: 12:30, since: 2026-01-02, size: 1, size: 2}\n';
    expect(parseManifests([text])).toMatchObject({
      objects: [{ spec: { from: '12:30', since: '2026-01-02', size: 2 } }],
    });
  });
  it('reports why a manifest cannot be parsed', () =>
    expect(parseManifests(['a: 1\nb: {<<: 5}\n'])).toEqual({ error: 'Merge sources must be maps or map aliases' }));
  it('references its resources, which may be created later', () => {
    const resources = [
      { kind: 'ConfigMap', name: 'one' },
      { kind: 'Secret', name: 'two' },
    ] as const;
    expect(referencesOfSet(set({ resources: [...resources] }))).toEqual([
      { group: '', kind: 'ConfigMap', name: 'one' },
      { group: '', kind: 'Secret', name: 'two' },
    ]);
    expect(referencesOfSet({ ...set(), spec: undefined } as unknown as KubeObject)).toEqual([]);
  });
  it.each(['Hold', 'Nothing', undefined])('ignores the target %s without workflows', (target) =>
    expect(acts(target, binding(false), false)).toEqual(applies));
  it('reports why it applies nothing', () => {
    expect(says('Hold', binding(false)).message).toBe(
      'Cluster c: Held by ClusterOperation c-create-1: nothing new is created',
    );
    // No API server answers before an operation begins, so the message does not mention the operation.
    expect(says(undefined, binding(false)).message).toBe('Waiting for the API of Cluster c');
    expect(says('Hold', binding(true)).status).toBe('True');
    expect(says('Nothing', binding(true))).toMatchObject({
      status: 'False',
      message: 'Cluster c: Torn down by ClusterOperation c-create-1',
    });
  });
});
