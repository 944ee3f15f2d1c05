/** What makes a type of operation: a folder of its own fills this in, and cluster-operation runs all of them alike. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { Judgement } from './cluster-state.ts';
import type { OperationScope, Outcome } from './scope.ts';

export interface OperationDefinition {
  /** Names of the states of its workflow, in order. */
  steps: readonly string[];
  /** The task of one of them. */
  task: (scope: OperationScope, status: OperationStatus, step: string) => Outcome;
  /** The tasks that undo it, by the name of their state. */
  undo: Readonly<Record<string, (scope: OperationScope, status: OperationStatus) => Outcome>>;
  /** Whether what it is about has come true, whatever its workflow knows of it. */
  isFulfilled: (scope: OperationScope) => boolean;
  /** Whether the workflow may record that it succeeded. */
  isProved: (scope: OperationScope, status: OperationStatus) => boolean;
  /** Puts it on hold after a failed step, or after an error of the workflow itself. */
  hold: (scope: OperationScope, status: OperationStatus, error: string | undefined) => Outcome;
  /** What an operation on hold waits for; undefined when nothing ends it but a user. */
  awaited: (scope: OperationScope) => Judgement | undefined;
  /** Its status once that has come true. */
  ended: (scope: OperationScope, status: OperationStatus) => OperationStatus;
  /** What it reports on hold until then. */
  waitingMessage: (status: OperationStatus, waitsFor: string) => string;
}
