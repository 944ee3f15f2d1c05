import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { isDone, isOwn, proceed, withError } from '../shared/hold.ts';
import { heldByError, heldByPolicy, heldInTearDown, succeededMessage, tornDownMessage } from '../shared/messages.ts';
import { failedStep, held, succeeded, tornDown } from '../shared/progress.ts';
import { judgeTearDown } from '../shared/proof.ts';
import { everAvailable, type OperationScope, type Outcome, writtenTarget } from '../shared/scope.ts';
import { type CreateStep, createSteps } from './steps.ts';
import { createTask } from './task.ts';
import { isSafeFromTearDown, tearDownTask } from './tear-down.ts';

const holdCreate = (scope: OperationScope, status: OperationStatus, error: string | undefined): Outcome => {
  const { operation, cluster, now } = scope;
  if (everAvailable(cluster))
    return { status: succeeded(status, succeededMessage(operation, status), now), answer: proceed };
  if (failedStep(status) && isOwn(error))
    return { status: held(status, heldByPolicy(operation, status), now), answer: proceed };
  const name = error ?? 'unknown';
  const because = `The workflow met the error ${name}`;
  return { status: held(withError(status, name, now), heldByError(scope, because), now), answer: proceed };
};

/**
 * Refuses to tear down a cluster that must not be torn down: the workflow ends, and the operation
 * reports the state.
 */
const refusedTearDown = ({ operation, cluster, now }: OperationScope, status: OperationStatus): Outcome =>
  everAvailable(cluster)
    ? {
        status: succeeded(status, succeededMessage(operation, status), now),
        answer: { error: 'Cancelled', cause: 'the cluster is Available' },
      }
    : { status, answer: { error: 'NotFromNothing', cause: 'the cluster was there before Capstan' } };

export const creation: OperationDefinition = {
  steps: createSteps,
  task: (scope, status, step) => createTask(scope, status, step as CreateStep),
  undo: {
    TearDown: (scope, status) =>
      isSafeFromTearDown(scope) ? refusedTearDown(scope, status) : tearDownTask(scope, status),
  },
  isFulfilled: ({ cluster }) => everAvailable(cluster),
  isProved: ({ cluster }, status) => isDone(status, 'Available') || everAvailable(cluster),
  hold: holdCreate,
  awaited: ({ cluster, clusterState }) =>
    writtenTarget(cluster) === 'Nothing' ? judgeTearDown(clusterState) : undefined,
  ended: ({ operation, now }, status) => tornDown(status, tornDownMessage(operation, status), now),
  waitingMessage: heldInTearDown,
};
