/**
 * Garbage collection by owner references. Deletes objects whose owners are all gone. An owner in
 * foreground deletion waits for the dependents that block it. Orphaning first removes the owner
 * reference from the dependents. Same semantics as Kubernetes, with work items instead of a graph
 * in memory. Knows no kind.
 */
import { groupOf, type Kind, resourceOf } from '../api/kind.ts';
import { finalizers, refusalToDelete } from '../api/lifecycle.ts';
import { type KubeObject, keyOf, type ObjectKey, type OwnerReference } from '../api/object.ts';
import { type Kinds, ofTypeFresh } from '../controller/kinds.ts';
import type { Runner } from '../controller/runtime.ts';
import type { SkippedReports } from '../controller/skipped.ts';
import type { Run, Work } from '../controller/work.ts';
import type { WorkKey } from '../controller/work-item.ts';
import type { ObjectWriter } from '../controller/writer.ts';
import { isolated, isolatedOrThrow, requestLimit } from '../isolated.ts';
import type { Log } from '../ports.ts';
import type { Store, Unreadable } from '../store/store.ts';
import { UnreadableObjects } from '../store/unreadable.ts';
import { type OwnerState, ownerState } from './owners.ts';
import { collectorName, encryptedTypes, goneOwners } from './requests.ts';

/**
 * The number of a deleted owner's dependents that one pass collects; each of the others gets its
 * own pass.
 */
const together = 100;

export interface CollectorOptions {
  store: Store;
  kinds: Kinds;
  writer: ObjectWriter;
  work: Pick<Work, 'request'>;
  log: Log;
  skipped: SkippedReports;
}

const keyFor = (type: string, { metadata: { namespace = '', name } }: KubeObject): WorkKey => ({
  controller: collectorName,
  type,
  namespace,
  name,
});

const withoutFinalizer = (object: KubeObject, without: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers: object.metadata.finalizers?.filter((f) => f !== without) },
});
const withOwners = (object: KubeObject, keep: (owner: OwnerReference) => boolean): KubeObject => {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const kept = ownerReferences.filter(keep);
  return { ...object, metadata: { ...metadata, ...(kept.length && { ownerReferences: kept }) } };
};

const withoutBlocking = (object: KubeObject): KubeObject => {
  const ownerReferences = object.metadata.ownerReferences?.map(({ blockOwnerDeletion: _, ...owner }) => owner);
  return { ...object, metadata: { ...object.metadata, ...(ownerReferences && { ownerReferences }) } };
};

interface Owned {
  type: string;
  object: KubeObject;
}
const isWaiting = ({ object: { metadata } }: Owned): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(finalizers.foreground) ?? false);

export const createCollector = ({ store, kinds, writer, work, log, skipped }: CollectorOptions): Runner => {
  const options = { writer: collectorName };

  const referringTo = async (uid: string) => {
    const unreadable: Unreadable[] = [];
    return { owned: await store.listOwned(uid, undefined, { skip: (one) => unreadable.push(one) }), unreadable };
  };
  /** An object in one namespace owns none in another, whatever an API client writes there. */
  const dependentsOf = async ({ metadata: { uid, namespace } }: KubeObject) => {
    const isBeside = (of: string | undefined) => namespace === undefined || of === namespace;
    const { owned, unreadable } = await referringTo(uid!);
    return {
      owned: owned.filter(({ object }) => isBeside(object.metadata.namespace)),
      unreadable: unreadable.filter((one) => isBeside(one.namespace)),
    };
  };
  /** Fails a pass that has done all it could, so that it is repeated. */
  const expectAll = (unreadable: readonly Unreadable[]) => {
    if (unreadable.length > 0) throw new UnreadableObjects(unreadable);
  };

  /** Writes the object at the resourceVersion that was read, or not at all. */
  const update = (type: string, object: KubeObject, next: KubeObject) => {
    const { namespace = '', name } = object.metadata;
    return writer.update(kinds.ofType(type)!, { namespace, name }, () => next, options);
  };

  const askFor = async (owned: Owned[]) => {
    for (const { type, object } of owned) await work.request(keyFor(type, object), { urgent: true });
  };

  const statesOf = async (object: KubeObject): Promise<[OwnerReference, OwnerState][]> =>
    Promise.all(
      (object.metadata.ownerReferences ?? []).map(
        async (owner): Promise<[OwnerReference, OwnerState]> => [
          owner,
          await ownerState({ store, kinds }, object.metadata.namespace, owner),
        ],
      ),
    );

  /** A dependent with a live owner loses its references to owners that are gone or in deletion. */
  const dropReferences = async (type: string, object: KubeObject, states: [OwnerReference, OwnerState][]) => {
    const lost = states.filter(([, state]) => state === 'absent' || state === 'deletingForeground');
    if (lost.length === 0) return;
    const uids = new Set(lost.map(([{ uid }]) => uid));
    await update(
      type,
      object,
      withOwners(object, ({ uid }) => !uids.has(uid)),
    );
  };

  const remove = async (
    type: string,
    object: KubeObject,
    propagationPolicy: 'Foreground' | 'Orphan' | 'Background',
  ) => {
    const { namespace = '', name, uid, resourceVersion } = object.metadata;
    // The change that lifts the refusal requeues this object.
    if (refusalToDelete(kinds.ofType(type)!, object)) return;
    const preconditions = { uid: uid!, resourceVersion: resourceVersion! };
    await writer.remove(kinds.ofType(type)!, { namespace, name }, { ...options, propagationPolicy, preconditions });
    log.info('Collected', { type, name: keyOf({ namespace, name }) });
  };

  const collect = async (type: string, object: KubeObject) => {
    const states = await statesOf(object);
    if (states.some(([, state]) => state === 'present' || state === 'unknown'))
      return dropReferences(type, object, states);
    if (states.length === 0) return;
    // One read is not enough to delete: read the owners again, and require an unchanged object.
    const again = await statesOf(object);
    if (again.some(([, state]) => state === 'present' || state === 'unknown')) return;
    const isAwaited = again.some(([, state]) => state === 'deletingForeground');
    const { owned, unreadable } = isAwaited ? await dependentsOf(object) : { owned: [], unreadable: [] };
    if (owned.length + unreadable.length > 0) {
      // A dependent that waits may block this object in a circle, a deadlock, so stop blocking.
      // Kubernetes does not verify the circle, either.
      const mayBeCircle = owned.some(isWaiting);
      return remove(type, mayBeCircle ? await update(type, object, withoutBlocking(object)) : object, 'Foreground');
    }
    const { finalizers: own = [] } = object.metadata;
    if (own.includes(finalizers.orphan)) return remove(type, object, 'Orphan');
    return remove(type, object, own.includes(finalizers.foreground) ? 'Foreground' : 'Background');
  };

  const deleteForeground = async (type: string, object: KubeObject) => {
    const { uid } = object.metadata;
    const { owned, unreadable } = await dependentsOf(object);
    const blocks = ({ object: { metadata } }: Owned) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true) ?? false;
    await askFor(owned.filter((dependent) => !dependent.object.metadata.deletionTimestamp));
    expectAll(unreadable);
    if (!owned.some(blocks)) await update(type, object, withoutFinalizer(object, finalizers.foreground));
  };

  const orphan = async (type: string, object: KubeObject) => {
    const { uid } = object.metadata;
    const { owned, unreadable } = await dependentsOf(object);
    await isolatedOrThrow(owned, (dependent) => {
      const next = withOwners(dependent.object, (owner) => owner.uid !== uid);
      return update(dependent.type, dependent.object, next);
    });
    expectAll(unreadable);
    await update(type, object, withoutFinalizer(object, finalizers.orphan));
  };

  /** What an older release wrote, or for another purpose, is written again, so that those that may can read it. */
  const encryptedAnew = async (type: string, object: KubeObject): Promise<KubeObject> => {
    if (!(await store.isOutdated(type, object))) return object;
    const { namespace = '', name } = object.metadata;
    const unchanged = (current: KubeObject | undefined) =>
      current ? ({ do: 'put', object: current, settled: true } as const) : ({ do: 'nothing', object } as const);
    return store.commit(type, { namespace, name }, unchanged, { ...options, from: object, evenUnchanged: true });
  };

  const look = async (type: string, key: ObjectKey): Promise<void> => {
    const found = (await ofTypeFresh(kinds, type)) && (await store.get(type, key));
    if (!found) return;
    const object = await encryptedAnew(type, found);
    const { deletionTimestamp, finalizers: own = [] } = object.metadata;
    if (!deletionTimestamp) return collect(type, object);
    if (own.includes(finalizers.orphan)) return orphan(type, object);
    if (own.includes(finalizers.foreground)) return deleteForeground(type, object);
  };

  const collectLeft = async (uid: string): Promise<void> => {
    const { owned, unreadable } = await referringTo(uid);
    await isolatedOrThrow(owned.slice(0, together), async (one) => {
      try {
        if (!one.object.metadata.deletionTimestamp) await collect(one.type, one.object);
      } catch {
        // The dependent changed meanwhile, or cannot be collected: it gets a pass of its own.
        await askFor([one]);
      }
    });
    await askFor(owned.slice(together));
    expectAll(unreadable);
  };

  /** Reads all objects of types, and tells those that are in deletion or whose owners were not among them. */
  const createSurvey = () => {
    const living = new Set<string>();
    const relevant: Owned[] = [];
    const unreadable: Unreadable[] = [];
    // What cannot be read may own others, and is no garbage.
    const skip = (one: Unreadable) => {
      living.add(`${one.namespace}/${one.uid}`);
      unreadable.push(one);
    };
    const isLost = ({ object: { metadata } }: Owned): boolean => {
      const { namespace = '', ownerReferences = [], deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) return true;
      return ownerReferences.some(({ uid }) => !living.has(`${namespace}/${uid}`) && !living.has(`/${uid}`));
    };
    return {
      unreadable,
      /** Only as owners. */
      owners: async (kind: Kind): Promise<KubeObject[]> => {
        const { objects } = await store.list(resourceOf(kind), { skip });
        for (const { metadata } of objects)
          if (!metadata.deletionTimestamp) living.add(`${metadata.namespace ?? ''}/${metadata.uid}`);
        return objects;
      },
      dependents: (kind: Kind, objects: readonly KubeObject[]) => {
        for (const object of objects) {
          const { ownerReferences, deletionTimestamp } = object.metadata;
          if (ownerReferences?.length || deletionTimestamp) relevant.push({ type: resourceOf(kind), object });
        }
      },
      lost: (): Owned[] => relevant.filter(isLost),
    };
  };
  const isEncrypted = (kind: Kind): boolean => kind.encrypted === true;

  const lookAtEncrypted = async (): Promise<void> => {
    const survey = createSurvey();
    const outdated = new Map<KubeObject, Owned>();
    const owning = new Set<Kind>();
    for (const kind of kinds.all().filter(isEncrypted)) {
      const type = resourceOf(kind);
      const objects = await survey.owners(kind);
      survey.dependents(kind, objects);
      for (const object of objects) {
        if (await store.isOutdated(type, object)) outdated.set(object, { type, object });
        for (const { apiVersion, kind: owner } of object.metadata.ownerReferences ?? []) {
          const of = kinds.find(groupOf(apiVersion), owner);
          if (of && !isEncrypted(of)) owning.add(of);
        }
      }
    }
    for (const kind of owning) await survey.owners(kind);
    const named = survey.unreadable.map((one) => ({ name: `${one.type} ${keyOf(one)}`, error: one.error }));
    const ask = ({ type, object }: Owned) => work.request(keyFor(type, object), { urgent: false, slow: true });
    const wanted = [...outdated.values(), ...survey.lost().filter(({ object }) => !outdated.has(object))];
    const { faults, left } = await isolated(wanted, ask, { most: requestLimit });
    if (left.length > 0) throw faults[0]!.error;
    const refused = faults.map(({ item, error }) => ({ name: `${item.type} ${keyOf(item.object.metadata)}`, error }));
    await skipped.report('collection', [...named, ...refused]);
  };

  /** A finished item is forgotten: any later change creates a new one. */
  const run: Run = async ({ type, namespace, name }) => {
    if (type === goneOwners) await collectLeft(name);
    else if (type === encryptedTypes) await lookAtEncrypted();
    else await look(type, { namespace, name });
    return { ended: 'gone' };
  };

  return {
    run,
    types: async () => {
      await kinds.refresh();
      return [...kinds.all().map(resourceOf), goneOwners, encryptedTypes];
    },
    resync: async () => {
      await kinds.refresh();
      const survey = createSurvey();
      const all = kinds.all();
      for (const kind of all) if (!isEncrypted(kind)) survey.dependents(kind, await survey.owners(kind));
      const encrypted = { controller: collectorName, type: encryptedTypes, namespace: '', name: 'all' };
      return {
        // Objects whose owners all exist need no pass.
        requests: [
          ...survey.lost().map(({ type, object }) => ({ key: keyFor(type, object), urgent: false })),
          ...(all.some(isEncrypted) ? [{ key: encrypted, urgent: false }] : []),
        ],
        unreadable: survey.unreadable,
      };
    },
  };
};
