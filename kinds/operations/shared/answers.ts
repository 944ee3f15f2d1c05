/** Answers to waiting tasks that follow from the recorded status. Pure. */
import type { OperationStatus, OperationStep } from '../cluster-operation/schema.ts';
import { decided } from './progress.ts';
import type { Outcome, TaskAnswer } from './scope.ts';

/** The answer to a step with a recorded verdict; a repeated task receives the same answer. */
export const decidedAnswer = ({ name, verdict, message = '' }: OperationStep): TaskAnswer | undefined => {
  switch (verdict) {
    case 'Succeeded':
      return { output: {} };
    case 'Refused':
      return { error: 'StepRefused', cause: message };
    case 'DeadlineExceeded':
      return { error: 'DeadlineExceeded', cause: message };
    case 'Cancelled':
      return { error: 'Cancelled', cause: message || `Step ${name} was cancelled` };
    case 'Running':
    case 'Failed':
    case 'Paused':
      return undefined;
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

/** Ends a step without success; the workflow then undoes or holds. */
export const stopStep = (
  status: OperationStatus,
  step: string,
  verdict: 'Refused' | 'DeadlineExceeded',
  message: string,
  now: number,
): Outcome => ({
  status: { ...decided(status, step, verdict, message, now), message: `${step}: ${message}` },
  answer: { error: verdict === 'Refused' ? 'StepRefused' : verdict, cause: message },
});
