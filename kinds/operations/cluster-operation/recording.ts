/** The tasks in which a workflow records its progress and learns how to proceed. Pure. */
import type { Await } from '../../../machinery/api/reconcile.ts';
import type { FailurePolicy } from '../../core/contract/operation.ts';
import { isSafeFromTearDown } from '../create/tear-down.ts';
import { isDone, proceed } from '../shared/hold.ts';
import { cancelledMessage, heldInTearDown, succeededMessage, tornDownMessage } from '../shared/messages.ts';
import { cancelled, held, reopened, stepOf, succeeded, tornDown } from '../shared/progress.ts';
import { moveTarget, type OperationScope, type Outcome } from '../shared/scope.ts';
import { definitionFor } from '../types.ts';
import type { OperationStatus } from './schema.ts';

export const recorders = ['Decide', 'Hold', 'Held', 'TearDownHeld', 'TornDown', 'Succeeded', 'Cancelled'] as const;
export type Recorder = (typeof recorders)[number];

/** A consistent workflow never reaches this task without proof, so the workflow holds. */
const outOfOrder = (status: OperationStatus, task: Recorder): Outcome => ({
  status,
  answer: { error: 'OutOfOrder', cause: `${task} was reached although nothing proves it` },
});

/** The answer for a workflow whose operation has already ended. */
export const policyAfterEnd: FailurePolicy = 'Hold';

/**
 * Reads the policy when it is needed, and never tears down a cluster that must not be torn down.
 */
export const policyNow = ({ policy, ...scope }: OperationScope): FailurePolicy =>
  policy.onFailure === 'TearDown' && isSafeFromTearDown(scope) ? 'Hold' : policy.onFailure;

const succeed = ({ operation, now }: OperationScope, status: OperationStatus): Outcome => ({
  status: succeeded(status, succeededMessage(operation, status), now),
  answer: proceed,
});

const decide = (scope: OperationScope, status: OperationStatus): Outcome => {
  const policy = policyNow(scope);
  const answer = { output: { policy } };
  if (policy !== 'Retry') return { status, answer };
  return { status: reopened(status, ({ verdict }) => verdict !== 'Succeeded'), answer };
};

/** Reopens the TearDown step; the workflow repeats it until it succeeds. */
const holdTearDown = ({ now }: OperationScope, status: OperationStatus): Outcome => {
  const waitsFor = stepOf(status, 'TearDown')?.message ?? 'something is left';
  const again = reopened(status, ({ name, verdict }) => name === 'TearDown' && verdict !== 'Succeeded');
  return { status: held(again, heldInTearDown(again, waitsFor), now), answer: proceed };
};

export const recordTask = (scope: OperationScope, status: OperationStatus, task: Recorder, waiting: Await): Outcome => {
  const { operation, spec, now } = scope;
  const definition = definitionFor(spec.type);
  switch (task) {
    case 'Decide':
      return decide(scope, status);
    case 'Hold':
      return { status, answer: proceed, actions: moveTarget(scope, 'Hold') };
    case 'Held':
      return definition ? definition.hold(scope, status, waiting.error) : outOfOrder(status, task);
    case 'TearDownHeld':
      return holdTearDown(scope, status);
    case 'TornDown':
      if (!isDone(status, 'TearDown')) return outOfOrder(status, task);
      return { status: tornDown(status, tornDownMessage(operation, status), now), answer: proceed };
    case 'Succeeded':
      return definition?.isProved(scope, status) ? succeed(scope, status) : outOfOrder(status, task);
    case 'Cancelled':
      return {
        status: cancelled(status, cancelledMessage(operation, 'its workflow was told to end', false), now),
        answer: proceed,
      };
    default:
      throw new Error(`unknown task ${task satisfies never}`);
  }
};
