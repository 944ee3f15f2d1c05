import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import type { Observed } from './observe.ts';
import { reconcile } from './reconcile.ts';
import { filledIn, valuesOf, wantedFrom } from './render.ts';
import type { Addon, AddonSpec, AddonStatus } from './schema.ts';

const now = Date.UTC(2026, 0, 1);
const context = (more: Partial<Context> = {}) => ({ now, ...more }) as Context;
const cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'c', uid: 'of-c' },
  spec: { clusterNetwork: { services: { cidrBlocks: ['10.96.0.0/12'] } } },
} as unknown as Cluster;
const owned = [{ apiVersion: cluster.apiVersion, kind: 'Cluster', name: 'c', uid: 'of-c' }];

const object = (kind: string, name: string, namespace = 'kube-system'): JsonObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
});
const idOf = (kind: string, name: string) => ({ apiVersion: 'v1', kind, name, namespace: 'kube-system' });
const rendered = (...objects: JsonObject[]) => wantedFrom(objects);

const addon = (status: Partial<AddonStatus> = {}, spec: Partial<AddonSpec> = {}, metadata: object = {}): Addon => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'Addon',
  metadata: { namespace: 'default', name: 'a', uid: 'of-a', ownerReferences: owned, ...metadata },
  spec: { clusterName: 'c', manifests: [{ kind: 'ConfigMap', name: 'a' }], ...spec },
  status: { clusterUID: 'of-c', ...status } as AddonStatus,
});
const observed = (more: Partial<Observed>): Observed => ({
  addon: addon(),
  cluster: { state: 'found', value: cluster },
  kubeconfig: 'config',
  wanted: rendered(object('ConfigMap', 'one')),
  live: [],
  ...more,
});
const does = (plan: ReturnType<typeof reconcile>) =>
  (plan.actions ?? []).map((action) => {
    if (action.do !== 'call') return action.do;
    const input = action.input as { name?: string; object?: KubeObject };
    return `${action.operation} ${input.name ?? input.object?.metadata.name}`;
  });
const conditionOf = (plan: ReturnType<typeof reconcile>, type: string) =>
  plan.status?.conditions?.find((one) => one.type === type);

const old = ['ConfigMap', 'Namespace', 'PersistentVolumeClaim'].map((kind) => idOf(kind, kind.toLowerCase()));
const recorded = [...old, idOf('ConfigMap', 'one')];

describe('an add-on', () => {
  it('records what it is about to create, and creates nothing in that pass', () => {
    const plan = reconcile(observed({}), context());
    expect([does(plan), plan.status?.inventory, plan.again]).toEqual([[], [idOf('ConfigMap', 'one')], true]);
  });

  it.each([
    { prune: 'Safe' as const, deletes: ['delete configmap'] },
    { prune: 'All' as const, deletes: ['delete persistentvolumeclaim', 'delete namespace', 'delete configmap'] },
    { prune: 'Never' as const, deletes: [] },
  ])('prunes $prune', ({ prune, deletes }) => {
    const plan = reconcile(observed({ addon: addon({ inventory: recorded }, { prune }) }), context());
    expect(does(plan)).toEqual(['applyServerSide one', ...deletes]);
    expect(plan.status?.inventory).toEqual([idOf('ConfigMap', 'one')]);
  });

  it('knows its objects still when the cluster refuses one', () => {
    const lastFailure = { port: 'workload', operation: 'applyServerSide', code: 'Forbidden', message: 'no', at: now };
    const plan = reconcile(observed({ addon: addon({ inventory: recorded }) }), context({ lastFailure }));
    expect(conditionOf(plan, 'Applied')).toMatchObject({ status: 'False', reason: 'ApplyFailed', message: 'no' });
    expect([plan.status?.inventory, plan.status?.revision]).toEqual([recorded, undefined]);
  });

  it('starts anew in another Cluster of the name', () => {
    const former = addon({
      clusterUID: 'former',
      inventory: recorded,
      revision: rendered(object('ConfigMap', 'one')).revision,
    });
    const plan = reconcile(observed({ addon: former }), context());
    expect(plan.status).toMatchObject({ clusterUID: 'of-c', inventory: [idOf('ConfigMap', 'one')] });
  });

  it('forgets what went with a cluster that is torn down', () => {
    const withheld = { releases: true, reason: 'TornDown', message: 'torn down' };
    const plan = reconcile(observed({ addon: addon({ inventory: recorded, revision: 'r' }) }), context({ withheld }));
    expect(plan.status).toMatchObject({ inventory: [] });
    expect([plan.status?.revision, does(plan)]).toEqual([undefined, []]);
  });

  it('asks for nothing more once it is healthy', () => {
    const wanted = rendered(object('ConfigMap', 'one'));
    const plan = reconcile(
      observed({ wanted, addon: addon({ inventory: recorded, revision: wanted.revision }) }),
      context(),
    );
    expect(conditionOf(plan, 'Ready')).toMatchObject({ status: 'True', reason: 'Healthy' });
    expect([does(plan), plan.requeueAfter]).toEqual([[], undefined]);
  });
});

describe('a deleted add-on', () => {
  const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const deleted = (spec: Partial<AddonSpec> = {}) => addon({ inventory: recorded }, spec, gone);
  it.each([
    { rule: 'removes its objects, the last first', of: {}, does: ['delete one', 'delete configmap'], finished: true },
    { rule: 'waits for a cluster that does not answer', of: { kubeconfig: undefined }, does: [], finished: undefined },
    { rule: 'goes with its Cluster', of: { cluster: { state: 'absent' } }, does: [], finished: true },
    { rule: 'leaves all if it never prunes', of: { addon: deleted({ prune: 'Never' }) }, does: [], finished: true },
  ])('$rule', ({ of, does: expected, finished }) => {
    const plan = reconcile(observed({ addon: deleted(), ...(of as Partial<Observed>) }), context());
    expect([does(plan), plan.finished]).toEqual([expected, finished]);
  });
});

describe('values', () => {
  it('stand in strings, and unknown names stay as they are', () => {
    const text = { ...object('ConfigMap', '${NAME}'), data: { list: ['${SERVICES} ${name} $NAME'] } };
    const values = [
      { name: 'NAME', value: 'x' },
      { name: 'SERVICES', fromCluster: '.spec.clusterNetwork.services.cidrBlocks[0]' },
    ];
    expect(filledIn(text, valuesOf(values, cluster) as Map<string, string>)).toMatchObject({
      metadata: { name: 'x' },
      data: { list: ['10.96.0.0/12 ${name} $NAME'] },
    });
  });
  it('must exist', () =>
    expect(valuesOf([{ name: 'PODS', fromCluster: '.spec.none' }], cluster)).toEqual({
      fault: 'substitution PODS: .spec.none leads to no value of Cluster c',
    }));
});
