/**
 * A controller consists of a pure `observe`, which declares reads and returns what they observed, and
 * a pure `reconcile`, which turns that into a plan. The loop in machinery/controller reads, decides
 * and applies.
 */
import type {
  Condition,
  JsonObject,
  JsonValue,
  KubeObject,
  LabelSelector,
  ObjectKey,
  OwnerReference,
} from './object.ts';
import type { Steps } from './steps.ts';
import type { ControllerWiring } from './wiring.ts';

/** `unread` only while observing: the loop makes the declared reads and observes again. */
export type Read<T> =
  | { state: 'found'; value: T }
  /** `because`: why a reference leads to nothing: its kind is not served, or the object is another's. */
  | { state: 'absent'; because?: string }
  | { state: 'unreadable'; reason: string }
  | { state: 'unread' };

/** What was found, in another form. */
export const mapRead = <T, U>(read: Read<T>, of: (value: T) => U): Read<U> =>
  read.state === 'found' ? { state: 'found', value: of(read.value) } : read;

export const found = <T>(read: Read<T>): T | undefined => (read.state === 'found' ? read.value : undefined);

/** Why an object of that kind is absent. */
export const absenceOf = (read: Read<unknown>, kind: string): string =>
  (read.state === 'absent' ? read.because : undefined) ?? `${kind} does not exist`;

/** The group that a reference names, and the role of the kinds that it may name. */
export interface Referenced {
  group?: string | undefined;
  role: string;
}

/** Every kind with a role. */
export interface OfRole {
  role: string;
}

/**
 * Selects objects of a kind; `cluster`, `owner` and `orOwner` are indexed, the rest is filtered.
 */
export interface Where {
  namespace?: string;
  /** The value of the label cluster.x-k8s.io/cluster-name. */
  cluster?: string;
  /** uid of an owner. */
  owner?: string;
  labels?: LabelSelector;
  /**
   * uid of an owner whose objects count in any case: an API client may edit the labels of an owned
   * object, and its controller must still find it.
   */
  orOwner?: string;
}

/**
 * The type of each kind's objects by the kind's name, for reads: the file with a kind's schema adds
 * its own.
 */
// biome-ignore lint/suspicious/noEmptyInterface: declarations in kinds/ fill it.
export interface ObjectTypes {}

/**
 * A read declares a need. Results are memoised for the pass, strongly consistent except `facts`,
 * and in the storage version.
 */
export interface Reader {
  get<K extends keyof ObjectTypes>(kind: K, key: ObjectKey): Read<ObjectTypes[K]>;
  /** A kind that a reference names; with `of`, a kind that is not served is reported as such. */
  get<T extends KubeObject = KubeObject>(kind: string, key: ObjectKey, of?: Referenced): Read<T>;
  /**
   * The tombstone of the last deleted object with this key: its uid and the time of deletion. Kept
   * for some thirty hours.
   */
  tombstone(kind: string, key: ObjectKey): Read<{ uid: string; at: number }>;
  list<K extends keyof ObjectTypes>(kind: K, where: Where): Read<ObjectTypes[K][]>;
  /** For a role: the objects of every kind with that role. */
  list<T extends KubeObject = KubeObject>(kind: string | OfRole, where: Where): Read<T[]>;
  /**
   * The cluster index's `digest` of each object of a kind, in one read. It may be stale by a
   * moment, and show only one of two changes that were made together: use it to choose when to
   * requeue, never for an action or a condition.
   */
  facts<T extends JsonObject>(kind: string, where: { namespace: string; cluster: string }): Read<T[]>;
  /**
   * A read through a port, such as `ask('cloud', 'DescribeVpcs', {…})`. A definite "not found" is
   * `absent`.
   */
  ask<T>(port: string, operation: string, input: JsonValue): Read<T>;
}

/** Reads before they are typed: they return what they find, whatever its kind. */
export interface UntypedReader extends Pick<Reader, 'tombstone' | 'facts' | 'ask'> {
  get(kind: string, key: ObjectKey, of?: Referenced): Read<KubeObject>;
  list(kind: string | OfRole, where: Where): Read<KubeObject[]>;
}
/** The store holds objects of a kind in its storage version, whose type the kind declares. */
export const typedReader = (reader: UntypedReader): Reader => reader as Reader;

/** The last failed effect of this work item. */
export interface Failure {
  /** The port that was called, or what prevented the call, such as `installation`. */
  port: string;
  operation: string;
  /** The error's own code, such as InsufficientInstanceCapacity. */
  code: string;
  message: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The action's group, if any. */
  group?: string;
  /** What failed belongs to a user, such as a workload cluster: a condition reports it, no alarm. */
  isExternal?: true;
}

/** A workflow task that waits for this object. */
export interface Await {
  id: string;
  /** The task's name: the name of its state. */
  step: string;
  /** uid of the awaited object, to exclude another one of the same name. */
  uid: string;
  /** The name of the error that led to this task, if any. */
  error?: string;
}

/**
 * Why an object must not follow its spec now. Its conditions may report it; what follows from it is
 * up to the loop.
 */
export interface Withheld {
  /** What the object's controller made must go: the loop runs `release` in place of `reconcile`. */
  releases: boolean;
  /** A condition reason, such as OnHold. */
  reason: string;
  message: string;
}

/** The result of a waiting task: its output, or an error that its workflow catches by name. */
export type Answer = { to: string } & ({ output: JsonValue } | { error: string; cause: string });

export interface Context {
  /** Milliseconds since the epoch, the same for the whole pass. */
  now: number;
  /** Draws names; a new seed for every pass. */
  random: { suffix(length?: number): string; pick<T>(from: readonly T[]): T; token(): string };
  lastFailure: Failure | undefined;
  /** Consecutive failed passes. */
  attempts: number;
  /**
   * Until when an earlier pass debounces deferrable work, in milliseconds; absent when that time is
   * over.
   */
  debouncedUntil?: number;
  /**
   * When a source of events outside the store last reported on the object, in milliseconds; absent
   * if none ever did.
   */
  reported?: number;
  /** Absent while the object follows its spec. */
  withheld?: Withheld;
  installation: string;
  config: Record<string, JsonValue>;
  /**
   * Tasks that wait for the object, read before anything else; empty for a controller without
   * `awaits`.
   */
  awaits: readonly Await[];
}

/** RFC 7386 merge patch of an object in its storage version. */
export type MergePatch = {
  metadata?: {
    labels?: Record<string, string | null>;
    annotations?: Record<string, string | null>;
    ownerReferences?: OwnerReference[];
    finalizers?: string[];
  };
  spec?: JsonObject;
  [field: string]: unknown;
};

/**
 * Actions run in order. A failure stops the rest of its `group` (without a group: of the plan's
 * own) and of the group that it is `within`. The failure of an `optional` action is reported, and
 * does not fail the pass.
 */
export type Action = {
  group?: string;
  within?: string;
  optional?: true;
  /** It creates something outside the store, such as an instance. */
  buys?: true;
} /** An existing object of that name counts as success; the next pass reads it. */ & (
  | { do: 'create'; object: KubeObject }
  /**
   * With `resourceVersion`: 409 if it changed, and the pass runs again. Without: retried on the
   * newest state. An absent object counts as success.
   */
  | {
      do: 'patch';
      /** Whose group tells which of several kinds of this name it is. */
      apiVersion?: string;
      kind: string;
      namespace: string;
      name: string;
      uid: string;
      resourceVersion?: string;
      patch: MergePatch;
    }
  /** `uid`: never another object of the same name. An absent object counts as success. */
  | { do: 'delete'; apiVersion?: string; kind: string; namespace: string; name: string; uid: string }
  /** An effect through a port; see kinds/ports. */
  | { do: 'call'; port: string; operation: string; input: JsonValue }
);

export interface EventDraft {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The object that it is about, if not the reconciled one. */
  about?: KubeObject;
  /**
   * It reports a change of the status, so it holds although an action of the plan failed: the next
   * pass finds that change stored and does not report it again. Warnings hold in any case.
   */
  isOfStatus?: true;
}

/** The part of a plan that the loop leaves out while the object must not follow its spec. */
export type Advance = Pick<AnyPlan, 'intent' | 'actions' | 'events' | 'again' | 'requeueAfter' | 'debounce'>;

/** Without a type argument: a plan that leaves the status as it is. */
export interface Plan<Status = never> {
  /**
   * Written before the actions, on the object itself, at the observed resourceVersion: the intended
   * names, tokens and ids, labels, owner references, and fields that the user left unset. Without
   * actions it is one commit with the status. An empty or ineffective intent writes nothing.
   */
  intent?: MergePatch;
  /** The first failure becomes `lastFailure` of the next pass, unless the action is optional. */
  actions?: Action[];
  /**
   * The whole new status. The loop fills in condition times and observedGeneration; an unchanged
   * status is not written.
   */
  status?: Status;
  events?: EventDraft[];
  /**
   * Sent after the status is written, once for each task: what a step waits for must be readable
   * before its workflow goes on.
   */
  answers?: Answer[];
  /** Seconds until the next pass; the loop keeps the timer. */
  requeueAfter?: number;
  /**
   * Seconds to debounce deferrable reasons: a controller that counts many objects need not run for
   * each one.
   */
  debounce?: number;
  /** Run again at once: this pass did one of several steps. */
  again?: boolean;
  /** Remove this controller's finalizer after everything else succeeded. */
  finished?: boolean;
  /**
   * What moves the object towards its spec, if the rest of the plan is to go on without it. The
   * loop also holds back each action that creates, deletes or buys, wherever it stands.
   */
  advance?: Advance;
  /**
   * Only from `release`: nothing is left of what the controller made. The loop restores the spec as
   * its user wrote it, removes these annotations, and sets this status; without one, it decides the
   * status as that of a new object.
   */
  released?: { notes: readonly string[]; status?: Status };
}

/** The type of an object's status. */
export type StatusOf<Object extends KubeObject> = NonNullable<Object['status']>;

/** A plan of any controller. */
export type AnyPlan = Plan<JsonObject>;

export interface Controller<Object extends KubeObject = KubeObject, Observed = unknown> extends ControllerWiring {
  name: string;
  /**
   * Stored before any action, and present in the observed object. Deletion waits until the
   * controller removes it.
   */
  finalizer?: string;
  /**
   * Finalizers of controllers that start together with this one; stored with its own, so that none
   * is added too late.
   */
  keptFor?: (config: Context['config']) => readonly string[];
  /** Whether another program manages the object: the loop leaves it as it is. */
  isForeign?: (object: Object) => boolean;
  /**
   * The Cluster that the object belongs to, which may pause, hold back and release it; absent = no
   * cluster does.
   */
  clusterOf?: (object: Object) => string | undefined;
  /** It decides what operations do, so that none holds it back. */
  operates?: true;
  /**
   * uid of the Cluster that resources were created for. Without that very Cluster the object is
   * held back: its resources are neither extended nor removed.
   */
  clusterUidOf?: (object: Object) => string | undefined;
  /** Workflow tasks may wait for its objects: the controller sees and answers them. */
  awaits?: true;
  /**
   * The conditions' format: metav1, or the AWS provider's older one. Also determines whether
   * `Paused` is reported.
   */
  conditions: 'v1beta2' | 'v1beta1' | 'none';
  /** What a paused object reports besides `Paused`. */
  whilePaused?(object: Object, because: string): readonly ConditionDraft[];
  observe: (object: Object, read: Reader, context: Context) => Observed;
  reconcile: (observed: Observed, context: Context) => Plan<StatusOf<Object>>;
  /** `reconcile` where it may take long: the loop lets other work run between the steps. */
  reconcileInSteps?: (observed: Observed, context: Context) => Steps<Plan<StatusOf<Object>>>;
  /**
   * Plans to delete what the controller made while the object itself stays, as when its cluster is
   * torn down. Absent: the loop runs `reconcile`, and holds back what creates, deletes or buys.
   */
  release?: (observed: Observed, context: Context) => Plan<StatusOf<Object>>;
}

export const defineController = <Object extends KubeObject, Observed>(
  controller: Controller<Object, Observed>,
): Controller<Object, Observed> => controller;

/** A condition as reconcilers write it; the loop adds the times. */
export type ConditionDraft = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;
