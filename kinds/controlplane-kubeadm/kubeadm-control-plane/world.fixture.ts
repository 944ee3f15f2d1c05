/** A store for passes of a control plane, and a workload cluster that records its calls. */
import { localPki } from '../../../adapters/pki/index.ts';
import { labelMatcher } from '../../../machinery/api/labels.ts';
import { equal, mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, type Plan, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import { operatedContext, operatedPlan } from '../../core/contract/operated.fixture.ts';
import type { PkiReads } from '../../ports/pki.ts';
import { clusterOf, context, specOf } from './control-plane.fixture.ts';
import { kubeadmControlPlaneController } from './controller.ts';
import type { KubeadmControlPlane } from './index.ts';
import { observe } from './observe.ts';
import type { KubeadmControlPlaneStatus } from './schema.ts';

const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cluster' };
const kcp: KubeadmControlPlane = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name: 'kcp', namespace: 'default', uid: 'kcp', ownerReferences: [owner] },
  spec: specOf({ replicas: 1, kubeadmConfigSpec: { clusterConfiguration: { encryptionAlgorithm: 'ECDSA-P256' } } }),
};
const template: KubeObject = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachineTemplate',
  metadata: { name: 'template', namespace: 'default', uid: 'template' },
  spec: { template: { spec: { instanceType: 't3.large' } } },
};

const pki = localPki();
// Creating keys is slow, and tests do not depend on their values.
const made = new Map<string, Promise<unknown>>();
const answerOf = (operation: keyof PkiReads, input: PkiReads[keyof PkiReads][0]): Promise<unknown> => {
  const id = JSON.stringify([operation, 'commonName' in input && input.commonName]);
  const answer = made.get(id) ?? pki.read(operation, input as never);
  made.set(id, answer);
  return answer;
};

/**
 * The objects that passes over one control plane read and write; a pass may crash after any of its
 * effects.
 */
export const createWorld = (config: Context['config'] = {}) => {
  let objects: KubeObject[] = [kcp, clusterOf(), template];
  const asked: string[] = [];
  let drawn = 0;
  let created = 0;
  const answers = new Map<string, Read<unknown>>();
  const wanted: { id: string; operation: keyof PkiReads; input: PkiReads[keyof PkiReads][0] }[] = [];
  const found = <T>(value: unknown): Read<T> =>
    value === undefined ? { state: 'absent' } : { state: 'found', value: value as T };
  const reader = typedReader({
    get: (kind, { name }) => found(objects.find((o) => o.kind === kind && o.metadata.name === name)),
    list: (kind, { labels, orOwner }) =>
      found(
        objects.filter(
          ({ kind: of, metadata }) =>
            of === kind &&
            (!labels ||
              labelMatcher(labels)(metadata.labels) ||
              metadata.ownerReferences?.some(({ uid }) => uid === orOwner)),
        ),
      ),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: <T>(port: string, operation: string, input: unknown) => {
      const id = JSON.stringify([operation, input]);
      const answer = answers.get(id) as Read<T> | undefined;
      if (port !== 'pki') {
        asked.push(operation);
        return { state: 'unreadable', reason: 'no answer' };
      }
      if (!answer) wanted.push({ id, operation: operation as keyof PkiReads, input: input as never });
      return answer ?? { state: 'unread' };
    },
  });
  const of = (): Context => ({
    ...context({ config }),
    random: { ...context().random, suffix: () => String(drawn++).padStart(5, '0') },
  });
  const current = () => objects.find(({ kind }) => kind === kcp.kind) as KubeadmControlPlane;
  const put = (old: KubeObject, next: KubeObject) => {
    if (!equal(old, next)) objects = objects.map((object) => (object === old ? next : object));
  };
  const replace = (old: KubeObject, patch: unknown) => put(old, mergePatch(old, patch));
  const remove = (old: KubeObject) => {
    objects = objects.filter((object) => object !== old);
  };

  /** Runs one pass up to `effects` effects; returns its plan if it completed. */
  const pass = async (effects: number): Promise<Plan<KubeadmControlPlaneStatus> | undefined> => {
    answers.clear();
    const cluster = objects.find(({ kind }) => kind === 'Cluster');
    const controller = kubeadmControlPlaneController;
    const within = () => operatedContext(controller, current(), cluster, of());
    let snapshot = observe(current(), reader, within());
    while (wanted.length > 0) {
      for (const { id, operation, input } of wanted.splice(0))
        answers.set(id, { state: 'found', value: await answerOf(operation, input) });
      snapshot = observe(current(), reader, within());
    }
    const plan: Plan<KubeadmControlPlaneStatus> = operatedPlan(controller, current(), snapshot, within(), (fresh) =>
      observe(fresh, reader, within()),
    );
    const steps: (() => void)[] = [
      ...(plan.intent ? [() => replace(current(), plan.intent)] : []),
      ...(plan.actions ?? []).map((action) => () => {
        if (action.do === 'create') {
          const { kind, metadata } = action.object;
          if (objects.some((o) => o.kind === kind && o.metadata.name === metadata.name)) return;
          objects = [
            ...objects,
            {
              ...action.object,
              metadata: { ...metadata, uid: `${kind}-${created++}`, creationTimestamp: '2026-05-31T00:00:00Z' },
            },
          ];
        } else if (action.do === 'patch') {
          const old = objects.find((o) => o.metadata.uid === action.uid);
          if (old) replace(old, action.patch);
        } else if (action.do === 'delete') {
          const old = objects.find((o) => o.metadata.uid === action.uid);
          // The infrastructure provider releases a machine that it never launched at once.
          if (old?.metadata.finalizers?.length && old.kind !== 'AWSMachine')
            replace(old, { metadata: { deletionTimestamp: '2026-06-01T00:00:00Z' } });
          else if (old) remove(old);
        } else asked.push(action.operation);
      }),
      ...(plan.status ? [() => put(current(), { ...current(), status: plan.status })] : []),
    ];
    for (const step of steps.slice(0, effects)) step();
    return effects >= steps.length ? plan : undefined;
  };
  const all = (kind: string) => objects.filter((object) => object.kind === kind);
  return {
    pass,
    current,
    replace,
    remove,
    objects: () => objects,
    all,
    add: (...more: KubeObject[]) => {
      objects = [...objects, ...more];
    },
    /** Calls to the workload cluster, reads included. */
    asked,
  };
};
