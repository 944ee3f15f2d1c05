/**
 * The store's interface: each type has one order of changes, and an object's resourceVersion is its
 * position in that order. Objects are in their kind's storage version. ARCHITECTURE.md has the
 * store's rules.
 */
import type { Reference } from '../api/kind.ts';
import type { JsonObject, KubeObject, LabelSelector, ObjectKey, OwnerReference } from '../api/object.ts';
import type { Level } from '../api/wiring.ts';

/**
 * The decision of a write that read `current` consistently. It may throw an ApiError, and then
 * nothing is written.
 */
export type Decision =
  /** `settled`: the writer would decide the same again for this state, so it needs no pass. */
  | { do: 'put'; object: KubeObject; settled?: boolean }
  /** `object` is the last state, which watches report. */
  | { do: 'remove'; object: KubeObject }
  | { do: 'nothing'; object: KubeObject };

export interface CommitOptions {
  /**
   * The controller's name; absent for an API client. A controller's own writes never wake it
   * urgently.
   */
  writer?: string;
  /**
   * The state to decide on, as this store returned it: it is not read again. The write is lost when
   * a newer state exists.
   */
  from?: KubeObject;
  /** Writes an unchanged object, too: it is encrypted and indexed anew. */
  evenUnchanged?: boolean;
  /** Whether the write may replace an unreadable state, of which `decide` gets the metadata that is known. */
  overUnreadable?: boolean;
  /**
   * Retry on newer states (for patches without a resourceVersion); otherwise a lost race is 409.
   */
  retry?: boolean;
}

export interface Change {
  position: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** In its state at `position`, which is its metadata.resourceVersion. */
  object: KubeObject;
  /** Labels before the change; absent for ADDED. */
  previousLabels?: Record<string, string>;
}

/** Every change up to `position` has been delivered. */
export type WatchItem = Change | { position: number; type: 'BOOKMARK' };

/** An object whose stored state cannot be decoded. */
export interface Unreadable extends ObjectKey {
  type: string;
  uid: string;
  /** Why. */
  error: unknown;
}

export interface ReadOptions {
  /**
   * Receives the unreadable objects, which the result then lacks. Without it they fail the read: an object that is
   * left out looks deleted.
   */
  skip?: (one: Unreadable) => void;
}

export interface ListOptions extends ReadOptions {
  namespace?: string;
  /**
   * The most objects on a page. A page may be shorter; without a continue token it is the last one.
   */
  limit?: number;
  continue?: string;
  /** Filters the objects; all by default. */
  selects?: (object: KubeObject) => boolean;
  /** Count the objects behind the page; without `selects` only. */
  counts?: boolean;
}

export interface Listing {
  objects: KubeObject[];
  position: number;
  continue?: string;
  /** How many objects follow this page; absent where they were not counted. */
  remaining?: number;
}

/** The record of a deleted object, kept for some thirty hours. */
export interface Tombstone {
  uid: string;
  /** Milliseconds since the epoch, in whole seconds: the latest possible time of the deletion. */
  at: number;
}

/** Filters members of a cluster. */
export interface MemberQuery {
  selector?: LabelSelector | undefined;
  /** Objects with this uid among their owners count in any case, whatever their labels. */
  owner?: string | undefined;
}

export interface Store {
  get(type: string, key: ObjectKey): Promise<KubeObject | undefined>;
  /** The uid of an object, also of one that this process cannot decrypt; undefined without one. */
  uid(type: string, key: ObjectKey): Promise<string | undefined>;
  /** The last object with this key; undefined while one exists, and when none is known. */
  tombstone(type: string, key: ObjectKey): Promise<Tombstone | undefined>;
  commit(
    type: string,
    key: ObjectKey,
    decide: (current: KubeObject | undefined) => Decision | Promise<Decision>,
    options?: CommitOptions,
  ): Promise<KubeObject>;
  list(type: string, options?: ListOptions): Promise<Listing>;
  /** Whether an object of this store is encrypted in another way than it would be now. */
  isOutdated(type: string, object: KubeObject): Promise<boolean>;
  /**
   * Objects of a type with the label cluster.x-k8s.io/cluster-name, by index: reads only what the
   * query selects.
   */
  listCluster(type: string, namespace: string, cluster: string, query?: MemberQuery): Promise<KubeObject[]>;
  /** Objects of any type, or of one, with this uid among their owners, by index. */
  listOwned(ownerUid: string, type?: string, options?: ReadOptions): Promise<{ type: string; object: KubeObject }[]>;
  /** Keys from the indexes only: an object may have been deleted or have lost the owner since. */
  ownedKeys(ownerUid: string, type?: string): Promise<ObjectKey[]>;
  /** Members that are not past. With `about`, without members that have only other aliases. */
  memberKeys(type: string, namespace: string, cluster: string, about?: readonly string[]): Promise<ObjectKey[]>;
  /** Keys of objects that refer to this one, whether it exists or not. */
  referrerKeys(type: string, namespace: string, to: Reference): Promise<ObjectKey[]>;
  /** Keys of objects that manage this cloud resource, by their kind's `resourceId`. */
  resourceKeys(type: string, resourceId: string): Promise<ObjectKey[]>;
  /** The digests of a type's objects in a cluster: from the index only, like `memberKeys`. */
  digests(type: string, namespace: string, cluster: string): Promise<JsonObject[]>;
  /**
   * Every change after `position`, once and in order, until the signal aborts, with occasional
   * bookmarks. Throws 410.
   */
  watch(type: string, position: number, signal: AbortSignal): AsyncIterable<WatchItem>;
  /**
   * The latest change of each type with this mark, of those whose transactions are visible;
   * undefined if there was none. It changes with every change, and one read tells. Writes nothing.
   */
  mark(name: string): Promise<Readonly<Record<string, number>> | undefined>;
  /** The position that a list would return now. */
  position(type: string): Promise<number>;
}

/** An owner reference's facts; false ones are left out. */
export type OwnerFacts = Pick<
  OwnerReference,
  'apiVersion' | 'kind' | 'name' | 'uid' | 'controller' | 'blockOwnerDeletion'
>;

/** Plain attributes of a log entry: all that dispatch needs, without parsing a body. */
export interface LogEntry {
  type: string;
  position: number;
  event: Change['type'];
  namespace: string;
  name: string;
  uid: string;
  cluster?: string;
  clusterBefore?: string;
  owners: OwnerFacts[];
  ownersBefore: OwnerFacts[];
  /** Absent if the change concerns the object itself, or if an older release wrote the entry. */
  level?: Level;
  /** Aliases of the cluster members that the change concerns; absent = all of them. */
  about?: string[];
  /** Objects that serve the changed one. */
  servedBy?: Reference[];
  writer?: string;
  /** The change needs no pass of its writer. */
  settled?: true;
}
