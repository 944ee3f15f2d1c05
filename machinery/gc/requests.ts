/** Maps a change to the objects that the collector must check; most changes concern none. */
import { groupOf, type Kind, resourceOf } from '../api/kind.ts';
import { finalizers } from '../api/lifecycle.ts';
import type { OwnerReference } from '../api/object.ts';
import type { Extra, WorkRequest } from '../controller/dispatch.ts';
import { findFresh, type Kinds } from '../controller/kinds.ts';
import { unlessUnreadable } from '../store/readable.ts';
import type { LogEntry, Store } from '../store/store.ts';
import { type OwnerState, ownerState } from './owners.ts';

export const collectorName = 'garbage-collector';
/** The type in the work items of deleted owners; their name is the owner's uid. */
export const goneOwners = 'owners';
/**
 * The type in the work item of a look at all objects of the encrypted types: a sweep, which must not decrypt them,
 * requests it.
 */
export const encryptedTypes = 'encrypted';

/** Events neither own objects nor are owned, as in Kubernetes. */
const ignored: readonly string[] = ['events'];

/** Seconds to defer: new objects are adopted one after the other, and so dependents are deleted. */
const settling = 2;
const leaving = 1;

/** Whether a change other than a deletion can concern the collector. */
const matters = (kind: Kind | undefined, { event, owners, ownersBefore }: LogEntry): boolean => {
  if (owners.length === 0) return false;
  if (event === 'ADDED') return true;
  const isOwnedAsBefore =
    owners.length === ownersBefore.length && owners.every(({ uid }) => ownersBefore.some((one) => one.uid === uid));
  // The reason for which the kind refused deletion may be gone.
  return !isOwnedAsBefore || kind?.refuseDelete !== undefined;
};

/**
 * The collector's work requests for a change. Owners and dependents are read now: a later creation
 * or deletion is a change of its own, which finds the others. Encrypted objects are not read, because
 * a dispatcher must not decrypt them: the collector looks at them whenever they may concern it.
 */
export const collectorRequests = ({
  kinds,
  store,
}: {
  kinds: Kinds;
  store: Pick<Store, 'get' | 'ownedKeys'>;
}): Extra => {
  const request = (type: string, namespace: string, name: string, after = 0): WorkRequest => ({
    key: { controller: collectorName, type, namespace, name },
    urgent: true,
    ...(after > 0 && { after }),
  });
  const stateIn = async (namespace: string, owner: OwnerReference): Promise<OwnerState | 'encrypted'> =>
    (await findFresh(kinds, groupOf(owner.apiVersion), owner.kind))?.encrypted
      ? 'encrypted'
      : ownerState({ store, kinds }, namespace, owner);

  /** Whether an owner is gone, waits in foreground deletion for this object, or may do so. */
  const isLost = async ({ namespace, owners }: LogEntry): Promise<boolean> => {
    const states = await Promise.all(owners.map((owner) => stateIn(namespace, owner)));
    return states.some((state) => state !== 'present' && state !== 'unknown');
  };

  /** Owners in foreground deletion that this object left or no longer blocks. */
  const awaiting = async ({ event, namespace, owners, ownersBefore }: LogEntry): Promise<WorkRequest[]> => {
    const isLeft = ({ uid, blockOwnerDeletion }: OwnerReference): boolean => {
      const now = event === 'DELETED' ? undefined : owners.find((one) => one.uid === uid);
      return !now || (blockOwnerDeletion === true && !now.blockOwnerDeletion);
    };
    const left = ownersBefore.filter(isLeft);
    const requests = left.map(async (owner) => {
      const state = await stateIn(namespace, owner);
      if (state !== 'deletingForeground' && state !== 'encrypted') return [];
      const kind = kinds.find(groupOf(owner.apiVersion), owner.kind)!;
      return [request(resourceOf(kind), kind.namespaced ? namespace : '', owner.name, leaving)];
    });
    return (await Promise.all(requests)).flat();
  };

  /** Whether the collector must handle its deletion: in the foreground, or orphaning dependents. */
  const isDeletedWithOthers = async ({ type, event, namespace, name }: LogEntry): Promise<boolean> => {
    if (kinds.ofType(type)?.encrypted) return event === 'MODIFIED';
    const object = await unlessUnreadable(store.get(type, { namespace, name }));
    // Its pass fails and is repeated; the other requests of the change do not wait for it.
    if (object === 'unreadable') return true;
    const own = object?.metadata.finalizers ?? [];
    return own.includes(finalizers.foreground) || own.includes(finalizers.orphan);
  };

  return async (entry) => {
    const { type, event, namespace, name, uid, level } = entry;
    if (ignored.includes(type)) return [];
    if (event === 'DELETED') {
      const isOwner = (await store.ownedKeys(uid)).length > 0;
      return [...(isOwner ? [request(goneOwners, '', uid)] : []), ...(await awaiting(entry))];
    }
    const isDeleted = level === undefined && (await isDeletedWithOthers(entry));
    const isLeft = matters(kinds.ofType(type), entry) && (await isLost(entry));
    return [
      ...(isDeleted || isLeft ? [request(type, namespace, name, isDeleted ? 0 : settling)] : []),
      ...(await awaiting(entry)),
    ];
  };
};
