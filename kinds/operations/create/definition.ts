import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { holdAfter, isDone, outOfOrder, proceed } from '../shared/hold.ts';
import { held, reopened, stepOf, succeeded, tornDown } from '../shared/progress.ts';
import { judgeTearDown } from '../shared/proof.ts';
import { everAvailable, type OperationScope, type Outcome, writtenTarget } from '../shared/scope.ts';
import type { FailurePolicy } from './annotations.ts';
import { heldByPolicy, heldInTearDown, messages, tornDownMessage } from './messages.ts';
import { observeCreate } from './observe.ts';
import { type CreateStep, createSteps } from './steps.ts';
import { createTask } from './task.ts';
import { isSafeFromTearDown, tearDownTask } from './tear-down.ts';

const holdCreate = (scope: OperationScope, status: OperationStatus, error: string | undefined): Outcome => {
  const { cluster, now } = scope;
  if (everAvailable(cluster))
    return { status: succeeded(status, messages.succeeded(status, scope), now), answer: proceed };
  const message = (one: ClusterOperation, at: OperationStatus) => heldByPolicy(one, at, scope.clusterState.foreign);
  return holdAfter(scope, status, error, message, messages);
};

/**
 * Refuses to tear down a cluster that must not be torn down: the workflow ends, and the operation
 * reports the state.
 */
const refusedTearDown = (scope: OperationScope, status: OperationStatus): Outcome =>
  everAvailable(scope.cluster)
    ? {
        status: succeeded(status, messages.succeeded(status, scope), scope.now),
        answer: { error: 'Cancelled', cause: 'the cluster is Available' },
      }
    : { status, answer: { error: 'NotFromNothing', cause: 'the cluster was there before Capstan' } };

/** The answer for a workflow whose operation has already ended. */
const policyAfterEnd: FailurePolicy = 'Hold';

/**
 * Reads the policy when it is needed, and never tears down a cluster that must not be torn down, or
 * cannot be: no foreign provider knows how.
 */
const policyNow = ({ policy, ...scope }: OperationScope): FailurePolicy => {
  const isKept = isSafeFromTearDown(scope) || scope.clusterState.foreign.length > 0;
  return policy.onFailure === 'TearDown' && isKept ? 'Hold' : policy.onFailure;
};

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

const recordTornDown = ({ operation, now }: OperationScope, status: OperationStatus): Outcome =>
  isDone(status, 'TearDown')
    ? { status: tornDown(status, tornDownMessage(operation, status), now), answer: proceed }
    : outOfOrder(status, 'TornDown');

export const creation: OperationDefinition = {
  steps: createSteps,
  observe: observeCreate,
  preflight: ({ provider, cluster, read, context }) => provider.preflight(cluster, read, context),
  task: (scope, status, step) => createTask(scope, status, step as CreateStep),
  undo: {
    Decide: { run: decide, afterEnd: { output: { policy: policyAfterEnd } } },
    TearDown: {
      run: (scope, status) =>
        isSafeFromTearDown(scope) ? refusedTearDown(scope, status) : tearDownTask(scope, status),
    },
    TearDownHeld: { run: holdTearDown, afterEnd: proceed },
    TornDown: { run: recordTornDown, afterEnd: proceed },
  },
  isFulfilled: ({ cluster }) => everAvailable(cluster),
  isProved: ({ cluster }, status) => isDone(status, 'Available') || everAvailable(cluster),
  hold: holdCreate,
  awaited: ({ cluster, clusterState }) =>
    writtenTarget(cluster) === 'Nothing' ? judgeTearDown(clusterState) : undefined,
  ended: ({ operation, now }, status) => tornDown(status, tornDownMessage(operation, status), now),
  messages,
  endsAtOnce: true,
};
