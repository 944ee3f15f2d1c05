/** Holds an operation. Pure. */
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import type { Messages } from './definition.ts';
import { decided, failedStep, held, stepOf } from './progress.ts';
import type { OperationScope, Outcome, TaskAnswer } from './scope.ts';

export const proceed: TaskAnswer = { output: {} };

/** A consistent workflow never reaches this task without proof, so the workflow holds. */
export const outOfOrder = (status: OperationStatus, task: string): Outcome => ({
  status,
  answer: { error: 'OutOfOrder', cause: `${task} was reached although nothing proves it` },
});

/** Errors that Capstan's own tasks return; any other error is a bug or an outage. */
const ownErrors = ['StepRefused', 'DeadlineExceeded', 'Held'];
export const isOwn = (error: string | undefined): boolean => error === undefined || ownErrors.includes(error);

/** Marks the step that was running when the error occurred as failed. */
export const withError = (status: OperationStatus, error: string, now: number): OperationStatus =>
  status.step && stepOf(status, status.step)?.verdict === 'Running'
    ? decided(status, status.step, 'Failed', `its workflow met the error ${error}`, now)
    : status;

/** `heldMessage`: after a failed step, rather than after an error of the workflow itself. */
export const holdAfter = (
  scope: OperationScope,
  status: OperationStatus,
  error: string | undefined,
  heldMessage: (operation: ClusterOperation, status: OperationStatus) => string,
  messages: Messages,
): Outcome => {
  const { operation, now } = scope;
  if (failedStep(status) && isOwn(error))
    return { status: held(status, heldMessage(operation, status), now), answer: proceed };
  const name = error ?? 'unknown';
  const because = `The workflow met the error ${name}`;
  return {
    status: held(withError(status, name, now), messages.heldByError(scope, status, because), now),
    answer: proceed,
  };
};

export const isDone = (status: OperationStatus, name: string): boolean => stepOf(status, name)?.verdict === 'Succeeded';
