/**
 * What a controller is: a pure `observe` that says what to read and builds a snapshot, and a pure `reconcile` that turns
 * the snapshot into a plan. The loop in machinery/controller reads, decides and applies.
 */
import type { Condition, JsonObject, JsonValue, KubeObject, LabelSelector, ObjectKey } from './object.ts';

/** `unread` only while observing: the loop reads what was asked and observes again. */
export type Read<T> =
  | { state: 'found'; value: T }
  | { state: 'absent' }
  | { state: 'unreadable'; reason: string }
  | { state: 'unread' };

export const found = <T>(read: Read<T>): T | undefined => (read.state === 'found' ? read.value : undefined);

/** Every kind that plays a role. */
export interface OfRole {
  role: string;
}

/** Which objects of a kind; `cluster`, `owner` and `orOwner` are indexed, the rest is filtered. */
export interface Where {
  namespace?: string;
  /** Carrying the label cluster.x-k8s.io/cluster-name. */
  cluster?: string;
  /** uid of an owner. */
  owner?: string;
  labels?: LabelSelector;
  /**
   * uid of an owner whose objects count in any case: a client may edit labels of an owned object, and its
   * controller must still find it.
   */
  orOwner?: string;
}

/** Asking is declaring a need: answers are memoised for the pass, strongly consistent but for `facts`, and in the storage version. */
export interface Reader {
  get<T extends KubeObject = KubeObject>(kind: string, key: ObjectKey): Read<T>;
  /** Of the object that had this key last and was deleted: its uid, and when. Remembered for some thirty hours. */
  tombstone(kind: string, key: ObjectKey): Read<{ uid: string; at: number }>;
  /** Of a role: the objects of every kind that plays it. */
  list<T extends KubeObject = KubeObject>(kind: string | OfRole, where: Where): Read<T[]>;
  /**
   * What the index of a cluster keeps of each of a kind (`digest` of the kind), in one read for many. It may be a moment old, and
   * show one of two changes that were made together: good for when to look again, and for nothing that is done or said.
   */
  facts<T extends JsonObject>(kind: string, where: { namespace: string; cluster: string }): Read<T[]>;
  /** A read through a port, such as `ask('cloud', 'DescribeVpcs', {…})`. A definite "not found" is `absent`. */
  ask<T>(port: string, operation: string, input: JsonValue): Read<T>;
}

/** The last failed effect of this work item. */
export interface Failure {
  /** Whose: the port's that was called, or what kept it from being called, such as `installation`. */
  port: string;
  operation: string;
  /** The error's own code, such as InsufficientInstanceCapacity. */
  code: string;
  message: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The group of the action, when it had one. */
  group?: string;
}

/** A task of a workflow that waits for this object. */
export interface Await {
  id: string;
  /** The task's name: that of its state. */
  step: string;
  /** The object that it waits for; a namesake is not meant. */
  uid: string;
  /** The name of the error that led to this task, when one did. */
  error?: string;
}

/** What a waiting task is told: its output, or an error that its workflow catches by name. */
export type Answer = { to: string } & ({ output: JsonValue } | { error: string; cause: string });

export interface Context {
  /** Milliseconds since the epoch, the same for the whole pass. */
  now: number;
  /** Draws names; a new seed every pass. */
  random: { suffix(length?: number): string; pick<T>(from: readonly T[]): T; token(): string };
  lastFailure: Failure | undefined;
  /** Passes that failed in a row. */
  attempts: number;
  /** Until when an earlier pass wanted what may wait to wait, in milliseconds; absent when that is over. */
  patientUntil?: number;
  installation: string;
  config: Record<string, JsonValue>;
  /** Tasks that wait for the object, read before anything else; none for a controller that does not take them. */
  awaits: readonly Await[];
}

/** RFC 7386 merge patch of an object in its storage version. */
export type MergePatch = {
  metadata?: {
    labels?: Record<string, string | null>;
    annotations?: Record<string, string | null>;
    ownerReferences?: JsonValue;
    finalizers?: string[];
  };
  spec?: JsonObject;
  [field: string]: unknown;
};

/**
 * Actions run in order; a failure stops the rest of its `group` only (no group is a group of its own: the plan's), and of the
 * group that it is `within`. That one fails which is `optional` is told, and is no failure of the pass.
 */
export type Action = {
  group?: string;
  within?: string;
  optional?: true;
} /** Already there under that name = done; the next pass sees what it is. */ & (
  | { do: 'create'; object: KubeObject }
  /** With `resourceVersion`: 409 if it changed, and the pass runs again. Without: retried on the newest. Absent = done. */
  | {
      do: 'patch';
      kind: string;
      namespace: string;
      name: string;
      uid: string;
      resourceVersion?: string;
      patch: MergePatch;
    }
  /** `uid`: never a namesake. Absent = done. */
  | { do: 'delete'; kind: string; namespace: string; name: string; uid: string }
  /** An effect through a port; see kinds/ports. */
  | { do: 'call'; port: string; operation: string; input: JsonValue }
);

export interface EventDraft {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

export interface Plan {
  /**
   * Written before the actions, on the object itself, at the resourceVersion observed: what is about to be done (names,
   * tokens, ids), labels, owner references, fields left unset by the user. Without actions it is one commit with the
   * status. Empty or without effect = nothing is written.
   */
  intent?: MergePatch;
  /** The first failure is `lastFailure` of the pass that follows, unless it is of an optional one. */
  actions?: Action[];
  /** The whole new status. Condition times and observedGeneration are filled in by the loop; no change = no write. */
  status?: JsonObject;
  events?: EventDraft[];
  /** Given when the status is written, and each task once: what a step waits for must be readable before it goes on. */
  answers?: Answer[];
  /** Seconds until this must run again; the loop keeps the time. */
  requeueAfter?: number;
  /** Seconds in which what may wait does wait: of what is counted from many objects, nobody wants to hear of each. */
  patience?: number;
  /** Run again at once: this pass did one step of several. */
  again?: boolean;
  /** Take this controller's finalizer off, after everything else succeeded. */
  finished?: boolean;
}

export interface Controller<Object extends KubeObject = KubeObject, Snapshot = unknown> {
  name: string;
  /** The kind whose objects are reconciled. */
  for: string;
  /** Stored before anything is done, and there in what is observed; its presence is what deletion waits for. */
  finalizer?: string;
  /** Finalizers of controllers that begin where this one does: stored with its own, so none of them may come too late. */
  keptFor?: (config: Context['config']) => readonly string[];
  /** The Cluster the object belongs to, for pausing; absent = never paused by a cluster. */
  clusterOf?: (object: Object) => string | undefined;
  /** Tasks of workflows wait for its objects: it sees them, and answers them. */
  awaits?: true;
  /** Where conditions live: metav1 conditions, or the AWS provider's older form. Also says whether `Paused` is reported. */
  conditions: 'v1beta2' | 'v1beta1' | 'none';
  observe: (object: Object, read: Reader, context: Context) => Snapshot;
  reconcile: (snapshot: Snapshot, context: Context) => Plan;
}

export const defineController = <Object extends KubeObject, Snapshot>(
  controller: Controller<Object, Snapshot>,
): Controller<Object, Snapshot> => controller;

/** A condition as reconcilers write it: the loop adds the times. */
export type ConditionDraft = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;
