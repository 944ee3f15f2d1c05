/**
 * The state of the work for one (controller, object). Pure; work.ts has the protocol that changes
 * it.
 */
import { keyOf } from '../api/object.ts';
import type { Failure } from '../api/reconcile.ts';
import type { Item, ItemKey } from '../ports.ts';

/** A controller and the object that it must reconcile. */
export interface WorkKey {
  controller: string;
  /** The type in the store, such as `machines.cluster.x-k8s.io`. */
  type: string;
  /** Empty for cluster-scoped objects. */
  namespace: string;
  name: string;
}

/**
 * Milliseconds. The visibility timeout of the queues is longer than `lease`, a function's timeout
 * shorter.
 */
export const times = {
  lease: 120_000,
  /** At least twice the clock skew between workers. */
  margin: 5_000,
  /** The longest delay of a message. A sweep runs more often. */
  hop: 900_000,
  /** A due time that is further away has no timer until a sweep sends it, shortly before. */
  far: 3_600_000,
  /** The sweep's retry interval for work whose workers keep crashing. */
  crashed: 3_600_000,
  /** The delay of work that requeues itself endlessly. */
  rushed: 10_000,
};
/** Consecutive expired leases after which only other writers' changes and a slow sweep retry. */
export const manyCrashes = 5;
/**
 * Consecutive immediate requeues after which the next pass is delayed: no sequence of steps is that
 * long.
 */
const manyRushes = 50;

export interface WorkItem {
  /** Counts every reason to run. */
  want: number;
  /** Counts the reasons from other writers: an API client or another controller. */
  urgent: number;
  /** `want` at the start of the last finished pass. */
  done: number;
  /** `urgent` at that start. */
  served: number;
  /** Until when `holder` has the exclusive lease. */
  lease?: number | undefined;
  holder?: string | undefined;
  /** `want` as read when the lease was taken; its pass serves at least that. */
  taken?: number | undefined;
  /**
   * A message that arrived during the lease was acknowledged, and its reason is newer than the
   * pass.
   */
  missed?: boolean | undefined;
  /** When the latest message of a deferred reason arrives, and that reason's `want`. */
  awaited?: number | undefined;
  awaitedWant?: number | undefined;
  /** When the next pass is due. */
  due?: number | undefined;
  /** Until when deferrable reasons are debounced. */
  debouncedUntil?: number | undefined;
  /** Since when a status change of wording only is deferred. */
  deferredSince?: number | undefined;
  /** When the timer message in flight arrives, and its id. */
  armed?: number | undefined;
  timer?: string | undefined;
  /** Consecutive failed passes. */
  attempts: number;
  lastFailure?: Failure | undefined;
  /** The first and the last of consecutive passes that failed, or that could not read what they need. */
  failing?: { since: number; at: number } | undefined;
  /** Consecutive expired leases. */
  crashes: number;
  /** Consecutive passes that requeued themselves at once, by request or by a write. */
  rushes: number;
  /** When a source of events outside the store last reported on the object. */
  reported?: number | undefined;
}

export const partitionOf = (controller: string, type: string): string => `k#${controller}#${type}`;
export const itemKeyOf = (key: WorkKey): ItemKey => ({
  pk: partitionOf(key.controller, key.type),
  sk: keyOf(key),
});

export const workItemOf = (item: Item | undefined): WorkItem | undefined => {
  if (!item) return undefined;
  const {
    want = 0,
    urgent = 0,
    done = 0,
    served = 0,
    attempts = 0,
    crashes = 0,
    rushes = 0,
  } = item as Partial<WorkItem>;
  const { lease, holder, taken, missed, due, debouncedUntil, deferredSince, armed, timer, awaited, awaitedWant } =
    item as Partial<WorkItem>;
  const { lastFailure, failing, reported } = item as Partial<WorkItem>;
  const counts = { want, urgent, done, served, attempts, crashes, rushes };
  const waits = { due, debouncedUntil, deferredSince, armed, timer, awaited, awaitedWant };
  return { ...counts, ...waits, lease, holder, taken, missed, lastFailure, failing, reported };
};

export const namespacedNameOf = (sk: string): { namespace: string; name: string } => {
  const slash = sk.indexOf('/');
  return slash < 0 ? { namespace: '', name: sk } : { namespace: sk.slice(0, slash), name: sk.slice(slash + 1) };
};

/** The content of a message besides its key. */
export interface About {
  /** The timer's id. */
  timer?: string | undefined;
  /** `want` when a deferred message's reason was counted. */
  want?: number | undefined;
}

/** A message holds only the key; a timer also its id, and a deferred message its `want`. */
export const messageOf = ({ controller, type, namespace, name }: WorkKey, about: About = {}): string =>
  JSON.stringify({ controller, type, namespace, name, ...about });
export const keyOfMessage = (message: string): WorkKey & About => JSON.parse(message) as WorkKey & About;

export const isHeld = ({ lease }: WorkItem, now: number): boolean => lease !== undefined && now < lease;

/** Whether the message's reason may be newer than the running pass. */
export const isNewerReason = ({ taken = 0 }: WorkItem, want: number | undefined): boolean =>
  want !== undefined && want > taken;

export const isRushed = ({ rushes }: Pick<WorkItem, 'rushes'>): boolean => rushes > manyRushes;

/** Whether only the controller itself has changed anything since its last pass. */
export const isForOwnWrites = ({ want, done, urgent, served }: WorkItem): boolean => want > done && urgent === served;

const isBackingOff = (item: WorkItem, now: number): boolean =>
  (item.attempts > 0 || isRushed(item)) && item.due !== undefined && now < item.due;

/** Other writers' changes never wait; the controller's own writes wait for the backoff. */
export const isRunnable = (item: WorkItem, now: number): boolean =>
  item.urgent > item.served ||
  (item.want > item.done && !isBackingOff(item, now)) ||
  (item.due !== undefined && item.due <= now);

/** Whether one message suffices as a timer, and the next sweep may be too late for it. */
export const isNear = ({ due }: WorkItem, now: number): boolean => due !== undefined && due - now <= times.hop;

/** Whether a sweep sends the timer. */
export const isFar = ({ due }: WorkItem, now: number): boolean => due !== undefined && due - now > times.far;

/** Whether a timer in flight arrives in time. One that arrives any moment may be gone already. */
export const isArmed = ({ armed, due }: WorkItem, now: number): boolean =>
  due !== undefined && armed !== undefined && now + times.margin < armed && armed <= due;

/** Whether another timer is in flight, which continues the work. */
export const isSuperseded = ({ armed, timer: current }: WorkItem, timer: string, now: number): boolean =>
  armed !== undefined && armed > now && current !== timer;

/**
 * Whether a message in flight starts a pass by this time, which then serves a new reason, too: the message's own reason
 * is unserved, and no pass has begun.
 */
export const isAwaited = (item: WorkItem, { urgent, by }: { urgent: boolean; by: number }, now: number): boolean => {
  const { holder, want, done, urgent: last, served, awaited = 0, awaitedWant = 0 } = item;
  const isOpen = urgent ? last > served : want > done;
  return holder === undefined && isOpen && awaitedWant > done && awaited > now && awaited <= by;
};
