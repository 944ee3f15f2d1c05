/** The resources of a set that a cluster rejects, and those that are applied nevertheless. */
import { expect, it } from 'vitest';
import { conflict } from '../../../machinery/api/errors.ts';
import { isConflict } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { type Actor, performAll } from '../../../machinery/controller/actions.ts';
import { WorkloadError } from '../../ports/workload.ts';
import type { ClusterResourceSetBinding } from '../cluster-resource-set-binding/schema.ts';
import { entryOf } from './objects.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterResourceSet } from './schema.ts';

const namespace = 'ns';
const owner = { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: 'ClusterResourceSet', name: 'set', uid: 'set' };
const resourceNames = ['first', 'second', 'third'];
const refs = resourceNames.map((name) => ({ kind: 'ConfigMap' as const, name }));
const set: ClusterResourceSet = {
  ...owner,
  metadata: { name: 'set', namespace, uid: 'set' },
  spec: { clusterSelector: { matchLabels: { a: 'b' } }, resources: refs, strategy: 'ApplyOnce' },
};
const manifest = (name: string): string =>
  ['PodSecurityPolicy', 'ServiceAccount', 'DaemonSet']
    .map((kind) => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n`)
    .join('---\n');
const bindingNow = (resourceVersion: number, spec?: ClusterResourceSetBinding['spec']): ClusterResourceSetBinding => ({
  apiVersion: owner.apiVersion,
  kind: 'ClusterResourceSetBinding',
  metadata: {
    name: 'c',
    namespace,
    uid: 'b',
    resourceVersion: String(resourceVersion),
    labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
    ownerReferences: [owner],
  },
  spec: spec ?? {
    clusterName: 'c',
    bindings: [{ clusterResourceSetName: 'set', resources: refs.map((ref) => ({ ...ref, applied: false })) }],
  },
});

/** Runs passes over one cluster until a pass ends without a conflict or a new failure. */
const story = async (refuses: (object: KubeObject) => WorkloadError | undefined, most = 8) => {
  let binding = bindingNow(1);
  let lastFailure: Context['lastFailure'];
  const there = new Set<string>();
  let asked = 0;
  const actor = {
    ports: {
      workload: {
        call: async (_: string, { object }: { object: KubeObject }) => {
          asked += 1;
          const error = refuses(object);
          if (error) throw error;
          there.add(`${object.kind} ${object.metadata.name}`);
        },
      },
    },
    writer: {
      update: async (_: unknown, __: unknown, change: (one: KubeObject) => KubeObject) => {
        const next = change(binding);
        if (next.metadata.resourceVersion !== binding.metadata.resourceVersion)
          throw conflict({ group: owner.apiVersion, plural: 'clusterresourcesetbindings' }, 'c');
        binding = bindingNow(
          Number(binding.metadata.resourceVersion) + 1,
          next.spec as ClusterResourceSetBinding['spec'],
        );
        return binding;
      },
    },
    kinds: { find: (_: string, name: string) => name, named: (name: string) => name },
    name: 'cluster-resource-set',
    now: 0,
    expectInTime: () => {},
  } as unknown as Actor;
  const calls: number[] = [];
  for (let pass = 0; pass < most; pass++) {
    asked = 0;
    const cluster = { apiVersion: 'x', kind: 'Cluster', metadata: { name: 'c', namespace } };
    const observed = {
      set,
      resources: refs.map((ref) => ({
        ref,
        object: {
          state: 'found' as const,
          value: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: ref.name, uid: ref.name, ownerReferences: [owner] },
            data: { a: manifest(ref.name) },
          } as KubeObject,
        },
      })),
      targets: [{ cluster, binding: { state: 'found' as const, value: binding }, kubeconfig: 'k' }],
      bindings: { state: 'found' as const, value: [binding] },
      orphans: [],
      formers: [],
    };
    const context = {
      now: 0,
      lastFailure,
      attempts: 0,
      config: {},
      awaits: [],
      installation: 'i',
    } as unknown as Context;
    const { actions = [] } = reconcile(observed, context);
    const outcome = await performAll(actor, actions).catch((error) => {
      if (!isConflict(error)) throw error;
      return undefined;
    });
    calls.push(asked);
    if (outcome) lastFailure = outcome.failed?.failure;
    if (outcome && !lastFailure) break;
  }
  const applied = entryOf(binding, set)
    ?.resources?.filter((one) => one.applied)
    .map(({ name }) => name);
  return { there, applied, calls, failure: lastFailure?.message };
};
const noSuchKind = (of: string[]) => (object: KubeObject) =>
  object.kind === 'PodSecurityPolicy' && of.includes(object.metadata.name)
    ? new WorkloadError('NotFound', 'no such kind')
    : undefined;

it('applies everything to a cluster that accepts it', async () => {
  const { there, applied, calls } = await story(noSuchKind([]));
  expect(there.size).toBe(9);
  expect(applied).toEqual(resourceNames);
  expect(calls).toEqual([9]);
});

it.each([
  { refused: ['first'], applied: ['second', 'third'] },
  { refused: ['second'], applied: ['first', 'third'] },
  { refused: ['first', 'third'], applied: ['second'] },
  { refused: resourceNames, applied: [] },
])('applies all other resources to a cluster that rejects $refused', async ({ refused, applied }) => {
  const outcome = await story(noSuchKind(refused));
  expect(outcome.there.size).toBe(9 - refused.length);
  expect(outcome.applied?.toSorted()).toEqual(applied);
  expect(outcome.failure).toBe('no such kind');
});

it('calls an unreachable cluster once per pass', async () => {
  const { there, calls } = await story(() => new WorkloadError('Unreachable', 'connection refused'), 3);
  expect(there.size).toBe(0);
  expect(calls).toEqual([1, 1, 1]);
});
