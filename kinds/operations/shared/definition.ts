/**
 * Defines a type of operation: each type has a folder, and cluster-operation runs all types alike.
 */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { Judgement } from './cluster-state.ts';
import type { OperationScope, Outcome } from './scope.ts';

export interface OperationDefinition {
  /** Names of its workflow's states, in order. */
  steps: readonly string[];
  /** Handles the task of a step. */
  task: (scope: OperationScope, status: OperationStatus, step: string) => Outcome;
  /** Handlers of the tasks that undo the operation, by state name. */
  undo: Readonly<Record<string, (scope: OperationScope, status: OperationStatus) => Outcome>>;
  /** Whether the operation's goal is reached, whatever its workflow has recorded. */
  isFulfilled: (scope: OperationScope) => boolean;
  /** Whether the workflow may record a success. */
  isProved: (scope: OperationScope, status: OperationStatus) => boolean;
  /** Holds the operation after a failed step, or after an error of the workflow itself. */
  hold: (scope: OperationScope, status: OperationStatus, error: string | undefined) => Outcome;
  /** What a held operation waits for; undefined if only a user can end it. */
  awaited: (scope: OperationScope) => Judgement | undefined;
  /** The status once the held operation's condition has come true. */
  ended: (scope: OperationScope, status: OperationStatus) => OperationStatus;
  /** The message of the held operation until then. */
  waitingMessage: (status: OperationStatus, waitsFor: string) => string;
}
