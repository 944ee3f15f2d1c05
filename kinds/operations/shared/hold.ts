/** Holds an operation. Pure. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { decided, stepOf } from './progress.ts';
import type { Outcome, TaskAnswer } from './scope.ts';

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

export const isDone = (status: OperationStatus, name: string): boolean => stepOf(status, name)?.verdict === 'Succeeded';
