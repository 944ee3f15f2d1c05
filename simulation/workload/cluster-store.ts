/**
 * The objects of a workload cluster: its kinds, its storage, and the writes of its own controllers.
 */
import { ApiError } from '../../machinery/api/errors.ts';
import { definitionOf, groupOf, type KindFacts, resourceOf } from '../../machinery/api/kind.ts';
import { isNotFound, prepareCreate, timestamp } from '../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Definition, definitionType, kindOfDefinition } from '../../machinery/custom/definition.ts';
import type { Clock, Notifier, Random, Table } from '../../machinery/ports.ts';
import { createRegistry, type Extension, type KindRegistry } from '../../machinery/server/registry.ts';
import { openStore, type Store } from '../../machinery/store/index.ts';
import { withPriority, withStorageClass } from './api/classes.ts';
import { containersOf } from './api/containers.ts';
import { evictionOf } from './api/eviction.ts';
import { portForwardOf } from './api/port-forward.ts';
import { eventAbout } from './controllers/events.ts';
import { builtInKinds } from './kinds/index.ts';
import { Mirror } from './mirror.ts';
import { type ClaimObject, controllerOf, isMirrorPod, type PodObject } from './objects.ts';
import type { Step } from './world.ts';

export interface ClusterStoreOptions {
  table: Table;
  clock: Clock;
  random: Random;
  notifier: Notifier;
  /** Called after each change of an object. */
  changed: () => void;
  /** Called after each update by the cluster's own controllers. */
  updated: (type: string, before: KubeObject, after: KubeObject) => void;
  /** Called after each removal by them. */
  removed: (type: string, object: KubeObject) => void;
  /** The cluster is gone: its table was dropped and must not be written. */
  isStopped: () => boolean;
}

export interface ClusterStore {
  store: Store;
  registry: KindRegistry;
  mirror: Mirror;
  /** Resolves when the mirror has loaded the stored objects. */
  loaded: Promise<void>;
  types(): string[];
  namespacedTypes(): string[];
  /** An existing object counts as success. Keeps the given status. */
  create(object: KubeObject): Promise<void>;
  /** Stores the objects as they are, definitions of kinds first; those without a served kind are lost. */
  put(objects: readonly KubeObject[]): Promise<void>;
  /**
   * In order. Skips objects that changed since the controllers read them; the next round decides
   * again.
   */
  apply(steps: Step[]): Promise<void>;
}

const graceOfPod = (object: KubeObject, requested: number | undefined): number => {
  const pod = object as PodObject;
  const { phase } = pod.status ?? {};
  if (!pod.spec?.nodeName || isMirrorPod(pod) || phase === 'Succeeded' || phase === 'Failed') return 0;
  return requested ?? pod.spec.terminationGracePeriodSeconds ?? 30;
};

// No kind of a workload cluster is encrypted at rest, so no keys are needed.
const withoutKeys = () => Promise.reject(new Error('a workload cluster has no keys'));

export const openClusterStore = ({
  table,
  clock,
  random,
  notifier,
  changed,
  updated,
  removed,
  isStopped,
}: ClusterStoreOptions): ClusterStore => {
  const mirror = new Mirror();
  const serve = (definition: KubeObject): void => {
    registry.add(kindOfDefinition(definition as Definition));
  };
  const unserve = async (definition: KubeObject): Promise<void> => {
    const kind = kindOfDefinition(definition as Definition);
    const type = resourceOf(kind);
    for (const { metadata } of (await store.list(type)).objects)
      await store.commit(type, { namespace: metadata.namespace ?? '', name: metadata.name }, (current) =>
        current ? { do: 'remove', object: current } : { do: 'nothing', object: definition },
      );
    registry.remove(kind.group, kind.plural);
  };
  const classed = (object: KubeObject): KubeObject => {
    if (object.apiVersion !== 'v1') return object;
    if (object.kind === 'Pod')
      return withPriority(object as PodObject, mirror.list('priorityclasses.scheduling.k8s.io'));
    if (object.kind !== 'PersistentVolumeClaim') return object;
    return withStorageClass(object as ClaimObject, mirror.list('storageclasses.storage.k8s.io'));
  };
  const admitClassed: Extension['admit'] = (object, { operation }) =>
    operation === 'create' ? classed(object) : object;
  const extensions: Record<string, Extension> = {
    persistentvolumeclaims: { admit: admitClassed },
    pods: {
      admit: admitClassed,
      subresources: {
        eviction: evictionOf(),
        portforward: portForwardOf(),
        log: containersOf('Pod', 'logs'),
        exec: containersOf('PodExecOptions', 'shell to run commands in'),
        attach: containersOf('PodAttachOptions', 'process to attach to'),
      },
      graceSeconds: graceOfPod,
    },
    [definitionType]: {
      changed: (event, object) => (event === 'deleted' ? unserve(object) : serve(object)),
    },
  };
  const registry = createRegistry(builtInKinds, extensions);
  const kindOfType = (type: string): KindFacts | undefined =>
    registry.list().find((resource) => resource.type === type)?.kind;

  const store = openStore({
    table,
    clock,
    random,
    notifier,
    kinds: kindOfType,
    isPacking: false,
    keys: { dataKey: withoutKeys, unwrap: withoutKeys },
    onCommit: ({ type, namespace, name }) => {
      mirror.changed(type, namespace, name);
      changed();
    },
  });

  const types = () => [...new Set(registry.list().map(({ type }) => type))];
  const loaded = (async () => {
    await mirror.load(store, definitionType);
    for (const definition of mirror.list(definitionType)) serve(definition);
    for (const type of types()) if (type !== definitionType) await mirror.load(store, type);
  })();
  // Each user of the store waits for it and learns of a failure. A process that stops has none left.
  loaded.catch(() => {});

  const create = async (object: KubeObject): Promise<void> => {
    const known = registry.findKind(groupOf(object.apiVersion), object.kind)?.kind;
    const kind = known && (await definitionOf(known));
    if (!kind) throw new Error(`no kind ${object.kind} in ${object.apiVersion}`);
    if (isStopped()) throw new Error('the cluster is gone');
    const { namespace = '', name } = object.metadata;
    await store.commit(resourceOf(kind), { namespace, name }, (current) => {
      if (current) return { do: 'nothing', object: current };
      const decision = prepareCreate(kind, classed(object), undefined, {
        now: clock.now(),
        uid: () => random.uuid(),
        user: { username: 'system:kube-controller-manager', groups: [] },
      });
      return object.status === undefined
        ? decision
        : { do: 'put', object: { ...decision.object, status: object.status } };
    });
  };

  const put = async (all: readonly KubeObject[]): Promise<void> => {
    const isDefinition = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition';
    for (const object of [...all.filter(isDefinition), ...all.filter((one) => !isDefinition(one))]) {
      const kind = registry.findKind(groupOf(object.apiVersion), object.kind)?.kind;
      if (!kind || isStopped()) continue;
      const { resourceVersion: _, ...metadata } = object.metadata;
      const { namespace = '', name } = metadata;
      await store.commit(resourceOf(kind), { namespace, name }, () => ({ do: 'put', object: { ...object, metadata } }));
      if (isDefinition(object)) serve(object);
    }
  };

  const applyOne = async ({ do: verb, type, object }: Step): Promise<void> => {
    if (verb === 'create') return create(object);
    const { namespace = '', name, resourceVersion } = object.metadata;
    let before: KubeObject | undefined;
    let gone: KubeObject | undefined;
    await store.commit(type, { namespace, name }, (current) => {
      [before, gone] = [undefined, undefined];
      // It changed since the controllers read it; the next round decides again.
      if (!current || current.metadata.resourceVersion !== resourceVersion)
        return { do: 'nothing', object: current ?? object };
      if (verb === 'update') {
        before = current;
        return { do: 'put', object };
      }
      if (!current.metadata.finalizers?.length) {
        gone = current;
        return { do: 'remove', object: current };
      }
      const { deletionTimestamp = timestamp(clock.now()) } = current.metadata;
      if (current.metadata.deletionTimestamp) return { do: 'nothing', object: current };
      return { do: 'put', object: { ...current, metadata: { ...current.metadata, deletionTimestamp } } };
    });
    if (before) updated(type, before, object);
    if (gone) removed(type, gone);
  };

  /** As the controller that could not create an object says it, at the object's owner. */
  const reportRefusal = async ({ object }: Step, { message }: ApiError): Promise<void> => {
    const owner = controllerOf(object);
    if (!owner) return;
    const { apiVersion, kind, name, uid } = owner;
    const about: KubeObject = { apiVersion, kind, metadata: { namespace: object.metadata.namespace!, name, uid } };
    // Generated names would make a new Event each time.
    const text = `Error creating: ${message.replaceAll(`"${object.metadata.name}"`, `"${name}-"`)}`;
    const component = `${kind.toLowerCase()}-controller`;
    await create(eventAbout(about, { type: 'Warning', reason: 'FailedCreate', message: text, component }, clock.now()));
  };

  const apply = async (steps: Step[]): Promise<void> => {
    for (const step of steps) {
      if (isStopped()) return;
      try {
        await applyOne(step);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 403) await reportRefusal(step, error);
        // A lost race, or a namespace deleted meanwhile: the next round decides again.
        else if (error.code !== 409 && !isNotFound(error)) throw error;
      }
    }
  };

  return {
    store,
    registry,
    mirror,
    loaded,
    types,
    namespacedTypes: () => [...new Set(registry.list().flatMap(({ type, kind }) => (kind.namespaced ? [type] : [])))],
    create,
    put,
    apply,
  };
};
