/**
 * The store's interface: per type one order of changes; an object's resourceVersion is its position in it.
 * Objects are in their kind's storage version. The store's rules are in ARCHITECTURE.md.
 */
import type { Reference } from '../api/kind.ts';
import type { JsonObject, KubeObject, LabelSelector, ObjectKey, OwnerReference } from '../api/object.ts';

/** What a write decided after reading `current` consistently; it may throw an ApiError, and nothing is written. */
export type Decision =
  /** `settled`: the writer, seeing what it wrote, would decide the same again; nothing for it to look at. */
  | { do: 'put'; object: KubeObject; settled?: boolean }
  /** `object` is the last state, which watchers see. */
  | { do: 'remove'; object: KubeObject }
  | { do: 'nothing'; object: KubeObject };

export interface CommitOptions {
  /** Controller name, or absent for an API client. Its own writes never wake a controller urgently. */
  writer?: string;
  /**
   * The state to decide on, as this store answered it: it is not read again. The write loses when it is not the newest any more.
   */
  from?: KubeObject;
  /** Keep trying on newer states (patches without a resourceVersion); otherwise a lost race is 409. */
  retry?: boolean;
}

export interface Change {
  position: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** As it was at `position`; metadata.resourceVersion is the position. */
  object: KubeObject;
  /** Labels before the change; absent for ADDED. */
  previousLabels?: Record<string, string>;
}

/** Everything up to `position` has been delivered. */
export type WatchItem = Change | { position: number; type: 'BOOKMARK' };

export interface ListOptions {
  namespace?: string;
  /** Most objects on a page; a page may be shorter, and it is the last one when nothing continues it. */
  limit?: number;
  continue?: string;
  /** Which objects are answered; all by default. */
  selects?: (object: KubeObject) => boolean;
}

export interface Listing {
  objects: KubeObject[];
  position: number;
  continue?: string;
}

/** What is left of a deleted object for some thirty hours. */
export interface Tombstone {
  uid: string;
  /** Milliseconds since the epoch, in whole seconds: when it was deleted, at the latest. */
  at: number;
}

/** Which members of a cluster. */
export interface MemberQuery {
  selector?: LabelSelector | undefined;
  /** Objects that name this uid among their owners count in any case, whatever their labels. */
  owner?: string | undefined;
}

export interface Store {
  get(type: string, key: ObjectKey): Promise<KubeObject | undefined>;
  /** Of the object that had this key last; undefined while there is one, and when nothing is known of any. */
  tombstone(type: string, key: ObjectKey): Promise<Tombstone | undefined>;
  commit(
    type: string,
    key: ObjectKey,
    decide: (current: KubeObject | undefined) => Decision | Promise<Decision>,
    options?: CommitOptions,
  ): Promise<KubeObject>;
  list(type: string, options?: ListOptions): Promise<Listing>;
  /** Objects of a type that carry the label cluster.x-k8s.io/cluster-name, by index: only what the query selects is read. */
  listCluster(type: string, namespace: string, cluster: string, query?: MemberQuery): Promise<KubeObject[]>;
  /** Objects of any type, or of one, that name this uid among their owners, by index. */
  listOwned(ownerUid: string, type?: string): Promise<{ type: string; object: KubeObject }[]>;
  /** Keys from the indexes alone: an object of one of these may be gone by now, or no longer so. */
  ownedKeys(ownerUid: string, type?: string): Promise<ObjectKey[]>;
  /** Of those that are not past. `about`: without those that are known by other aliases alone. */
  memberKeys(type: string, namespace: string, cluster: string, about?: readonly string[]): Promise<ObjectKey[]>;
  /** Of the objects that name this one, whether it is there or not. */
  referrerKeys(type: string, namespace: string, to: Reference): Promise<ObjectKey[]>;
  /** Of the objects that manage this resource of the cloud account, by their kind's `resourceId`. */
  resourceKeys(type: string, resourceId: string): Promise<ObjectKey[]>;
  /** The facts kept of each object of a type in a cluster: from the index alone, as `memberKeys`. */
  digests(type: string, namespace: string, cluster: string): Promise<JsonObject[]>;
  /** Every change after `position`, once and in order, until the signal aborts; a bookmark now and then. Throws 410. */
  watch(type: string, position: number, signal: AbortSignal): AsyncIterable<WatchItem>;
  /** The position that a list made now would answer. */
  position(type: string): Promise<number>;
}

/** Of an owner, what is told of it; what is false is left out. */
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
  /**
   * Which parts changed. Of the status, `facts` are all but reasons, messages and times; `verdict` is what is counted of
   * them: replicas, and whether it is Ready or Available; `available` is the last of these alone; `latched` what others
   * wait for and what is hardly ever taken back. `direction` is what its kind says that those act on who belong to it.
   */
  changed: (
    | 'metadata'
    | 'direction'
    | 'labels'
    | 'spec'
    | 'status'
    | 'facts'
    | 'verdict'
    | 'available'
    | 'latched'
    | 'deleting'
  )[];
  /** The aliases of those members of its cluster that it is about; absent = all of them. */
  about?: string[];
  writer?: string;
  /** No reason for its writer to look again. */
  settled?: true;
}
