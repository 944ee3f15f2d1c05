/**
 * Defines a type of operation: each type has a folder, and cluster-operation runs all types alike.
 */
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import type { Judgement } from './cluster-state.ts';
import type { Observations, Observing } from './observing.ts';
import type { OperationScope, Outcome, TaskAnswer } from './scope.ts';

/** A task of the workflow besides its steps, such as one that undoes them. */
export interface UndoTask {
  run: (scope: OperationScope, status: OperationStatus) => Outcome;
  /** Its answer once the operation has ended; Cancelled if absent. */
  afterEnd?: TaskAnswer;
}

/** What a success may name besides its record. */
export type Ended = Pick<OperationScope, 'cluster' | 'spec' | 'clusterState'>;

/** They contain no times, so that they change only if the state does. */
export interface Messages {
  succeeded: (status: OperationStatus, scope: Ended) => string;
  /** Held by a bug, an outage or a stopped workflow, not by a failure of the cluster. */
  heldByError: (
    scope: Pick<OperationScope, 'operation' | 'cluster'>,
    status: OperationStatus,
    because: string,
  ) => string;
  /** `holds`: what was created is kept, and nothing more is created. */
  cancelled: (operation: ClusterOperation, because: string, holds: boolean) => string;
  /** The message of a held operation while it waits. */
  waiting: (operation: ClusterOperation, status: OperationStatus, waitsFor: string) => string;
}

export interface OperationDefinition {
  /** Names of its workflow's states, in order. */
  steps: readonly string[];
  /** What its steps need besides what is read for every operation. */
  observe?: (observing: Observing) => Partial<Observations>;
  /** What the infrastructure says while its step Preflight waits. */
  preflight?: (observing: Observing) => Preflight | undefined;
  /** Handles the task of a step. */
  task: (scope: OperationScope, status: OperationStatus, step: string) => Outcome;
  /** By state name, in the order in which the workflow reaches them. */
  undo: Readonly<Record<string, UndoTask>>;
  /** Whether the operation's goal is reached, whatever its workflow has recorded. */
  isFulfilled: (scope: OperationScope) => boolean;
  /** Whether the workflow may record a success. */
  isProved: (scope: OperationScope, status: OperationStatus) => boolean;
  /** Holds the operation after a failed step, or after an error of the workflow itself. */
  hold: (scope: OperationScope, status: OperationStatus, error: string | undefined) => Outcome;
  /** The status of a held operation that goes on by itself: its failed step is done after all. */
  resumed?: (scope: OperationScope) => OperationStatus | undefined;
  /** What every pass of a held operation makes sure of. */
  whileHeld?: (scope: OperationScope) => Action[];
  /** What a held operation waits for; undefined if only a user can end it. */
  awaited: (scope: OperationScope) => Judgement | undefined;
  /** The status once the held operation's condition has come true. */
  ended: (scope: OperationScope, status: OperationStatus) => OperationStatus;
  messages: Messages;
  /** It goes on while its Cluster is being deleted. */
  endsCluster?: true;
  /**
   * It ends as soon as a user cancels it, what it made is kept, and it is needless once its cluster is
   * Available. The tasks of others see to a cancellation.
   */
  endsAtOnce?: true;
  /** Once deleted, its steps see to its end. */
  endsItself?: (operation: ClusterOperation) => boolean;
}
