/** What is wanted, done and due for one (controller, object). Pure: the protocol that moves these is in work.ts. */
import { keyOf } from '../api/object.ts';
import type { Failure } from '../api/reconcile.ts';
import type { Item, ItemKey } from '../ports.ts';

/** Which controller is to look at which object. */
export interface WorkKey {
  controller: string;
  /** The type in the store, such as `machines.cluster.x-k8s.io`. */
  type: string;
  /** Empty for cluster-scoped objects. */
  namespace: string;
  name: string;
}

/** Milliseconds. The visibility timeout of the queues is longer than `lease`, the time limit of a function shorter. */
export const times = {
  lease: 120_000,
  /** At least twice the clock skew between workers. */
  margin: 5_000,
  /** The longest delay of a message. */
  hop: 900_000,
  /** Work whose workers keep dying is tried this often by the sweep. */
  crashed: 3_600_000,
  /** The pause of work that never comes to an end. */
  rushed: 10_000,
};
/** Leases that ran out in a row after which only foreign reasons and a slow sweep try again. */
export const manyCrashes = 5;
/** Passes in a row that ran again at once, after which the next one waits: no step of many is that long. */
const manyRushes = 50;

export interface WorkItem {
  /** Counts every reason to run. */
  want: number;
  /** Counts the foreign reasons among them: a client, or another controller. */
  urgent: number;
  /** `want` at the start of the last finished pass. */
  done: number;
  /** `urgent` at that start. */
  served: number;
  /** Until when `holder` alone runs it. */
  lease?: number | undefined;
  holder?: string | undefined;
  /** `want` as whoever took the lease had read it: its pass serves no less. */
  taken?: number | undefined;
  /** The message of a reason that came since met the lease, and was acknowledged. */
  missed?: boolean | undefined;
  /** When it must run again. */
  due?: number | undefined;
  /** Until when reasons that may wait do. */
  patient?: number | undefined;
  /** Since when a status would say the same in other words. */
  unsaid?: number | undefined;
  /** When the timer message in flight arrives, and which one that is. */
  armed?: number | undefined;
  timer?: string | undefined;
  /** Failed passes in a row. */
  attempts: number;
  lastFailure?: Failure | undefined;
  /** Leases that ran out in a row. */
  crashes: number;
  /** Passes in a row that made themselves run again at once, by asking or by writing. */
  rushes: number;
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
  const { lease, holder, taken, missed, due, patient, unsaid, armed, timer, lastFailure } = item as Partial<WorkItem>;
  const counts = { want, urgent, done, served, attempts, crashes, rushes };
  return { ...counts, lease, holder, taken, missed, due, patient, unsaid, armed, timer, lastFailure };
};

export const namespacedNameOf = (sk: string): { namespace: string; name: string } => {
  const slash = sk.indexOf('/');
  return slash < 0 ? { namespace: '', name: sk } : { namespace: sk.slice(0, slash), name: sk.slice(slash + 1) };
};

/** What a message is about, besides where to look. */
export interface About {
  /** Which timer it is. */
  timer?: string | undefined;
  /** `want` as the reason made it that sent this later. */
  want?: number | undefined;
}

/** A message only says where to look; a timer also which one it is, and one that was sent later for which reason. */
export const messageOf = ({ controller, type, namespace, name }: WorkKey, about: About = {}): string =>
  JSON.stringify({ controller, type, namespace, name, ...about });
export const keyOfMessage = (message: string): WorkKey & About => JSON.parse(message) as WorkKey & About;

export const isHeld = ({ lease }: WorkItem, now: number): boolean => lease !== undefined && now < lease;

/** Whether the message of a reason may be more than the pass serves that is under way. */
export const isMissed = ({ taken = 0 }: WorkItem, want: number | undefined): boolean =>
  want !== undefined && want > taken;

export const isRushed = ({ rushes }: Pick<WorkItem, 'rushes'>): boolean => rushes > manyRushes;

/** Whether nobody but the controller itself has changed anything since its last pass. */
export const isForOwnWrites = ({ want, done, urgent, served }: WorkItem): boolean => want > done && urgent === served;

const isBackingOff = (item: WorkItem, now: number): boolean =>
  (item.attempts > 0 || isRushed(item)) && item.due !== undefined && now < item.due;

/** An urgent reason never waits; the controller's own writes wait for the backoff. */
export const isRunnable = (item: WorkItem, now: number): boolean =>
  item.urgent > item.served ||
  (item.want > item.done && !isBackingOff(item, now)) ||
  (item.due !== undefined && item.due <= now);

/** Whether a timer is under way that arrives in time. One that arrives any moment may be gone already. */
export const isArmed = ({ armed, due }: WorkItem, now: number): boolean =>
  due !== undefined && armed !== undefined && now + times.margin < armed && armed <= due;

/** Whether another timer than this one is under way: that one sees to the next. */
export const isSuperseded = ({ armed, timer: current }: WorkItem, timer: string, now: number): boolean =>
  armed !== undefined && armed > now && current !== timer;
