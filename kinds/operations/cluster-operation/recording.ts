/** The tasks in which a workflow says where it has come to, and is told how to go on. Pure. */
import type { Await } from '../../../machinery/api/reconcile.ts';
import type { FailurePolicy } from '../../core/contract/operation.ts';
import { isSafeFromTearDown } from '../create/tear-down.ts';
import { go, isDone } from '../shared/hold.ts';
import { cancelledMessage, heldInTearDown, succeededMessage, tornDownMessage } from '../shared/messages.ts';
import { cancelled, held, reopened, stepOf, succeeded, tornDown } from '../shared/progress.ts';
import { moveTarget, type OperationScope, type Outcome } from '../shared/scope.ts';
import { definitionFor } from '../types.ts';
import type { OperationStatus } from './schema.ts';

export const recorders = ['Decide', 'Hold', 'Held', 'TearDownHeld', 'TornDown', 'Succeeded', 'Cancelled'] as const;
export type Recorder = (typeof recorders)[number];

/** No state of a workflow that is as it should be leads here; the workflow holds. */
const outOfOrder = (status: OperationStatus, task: Recorder): Outcome => ({
  status,
  told: { error: 'OutOfOrder', cause: `${task} was reached although nothing proves it` },
});

/** For a workflow that has yet to hear that its operation is over. */
export const policyAfterEnd: FailurePolicy = 'Hold';

/** Read at the moment of the decision, and never a teardown of what may not be torn down. */
export const policyNow = ({ policy, ...scope }: OperationScope): FailurePolicy =>
  policy.onFailure === 'TearDown' && isSafeFromTearDown(scope) ? 'Hold' : policy.onFailure;

const succeed = ({ operation, now }: OperationScope, status: OperationStatus): Outcome => ({
  status: succeeded(status, succeededMessage(operation, status), now),
  told: go,
});

const decide = (scope: OperationScope, status: OperationStatus): Outcome => {
  const policy = policyNow(scope);
  const told = { output: { policy } };
  if (policy !== 'Retry') return { status, told };
  return { status: reopened(status, ({ verdict }) => verdict !== 'Succeeded'), told };
};

/** Tearing down begins again, for as long as it takes. */
const holdTearDown = ({ now }: OperationScope, status: OperationStatus): Outcome => {
  const waitsFor = stepOf(status, 'TearDown')?.message ?? 'something is left';
  const again = reopened(status, ({ name, verdict }) => name === 'TearDown' && verdict !== 'Succeeded');
  return { status: held(again, heldInTearDown(again, waitsFor), now), told: go };
};

export const recordTask = (scope: OperationScope, status: OperationStatus, task: Recorder, waiting: Await): Outcome => {
  const { operation, spec, now } = scope;
  const definition = definitionFor(spec.type);
  switch (task) {
    case 'Decide':
      return decide(scope, status);
    case 'Hold':
      return { status, told: go, actions: moveTarget(scope, 'Hold') };
    case 'Held':
      return definition ? definition.hold(scope, status, waiting.error) : outOfOrder(status, task);
    case 'TearDownHeld':
      return holdTearDown(scope, status);
    case 'TornDown':
      if (!isDone(status, 'TearDown')) return outOfOrder(status, task);
      return { status: tornDown(status, tornDownMessage(operation, status), now), told: go };
    case 'Succeeded':
      return definition?.isProved(scope, status) ? succeed(scope, status) : outOfOrder(status, task);
    case 'Cancelled':
      return {
        status: cancelled(status, cancelledMessage(operation, 'its workflow was told to end', false), now),
        told: go,
      };
    default:
      throw new Error(`unknown task ${task satisfies never}`);
  }
};
