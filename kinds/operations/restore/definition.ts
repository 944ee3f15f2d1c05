import type { OperationStatus } from '../cluster-operation/schema.ts';
import { done } from '../shared/cluster-state.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { holdAfter, isDone, outOfOrder, proceed } from '../shared/hold.ts';
import { replacementPreflight } from '../shared/observing.ts';
import { cancelled, decided, failedStep, rolledBack, stepOf } from '../shared/progress.ts';
import { isNamed, type OperationScope, type Outcome } from '../shared/scope.ts';
import { heldMessage, isEndedByUser, isServing, messages, refusedMessage, stoppedMessage } from './messages.ts';
import { observeRestore } from './observe.ts';
import { type RestoreStep, restoreSteps } from './step-names.ts';
import { judgeRestore } from './steps.ts';
import { endRestore } from './targets.ts';
import { restoreTask } from './task.ts';

/** Nothing was stopped: the cluster is what it was. */
const recordRefused = ({ operation, now }: OperationScope, status: OperationStatus): Outcome =>
  stepOf(status, 'StopMembers') === undefined && failedStep(status)
    ? { status: rolledBack(status, refusedMessage(operation, status), now), answer: proceed }
    : outOfOrder(status, 'RolledBack');

/** The first Machine had the snapshot, and the others have joined it since. */
const isFulfilled = (scope: OperationScope): boolean => {
  const { status = {} } = scope.operation;
  return (
    isDone(status, 'RestoreFirst') &&
    stepOf(status, 'Join') !== undefined &&
    judgeRestore.Verify(scope, status).verdict === 'done'
  );
};

/** The first Machine may serve after its step has failed, or after a user has ended the restore. */
const resumed = (scope: OperationScope): OperationStatus | undefined => {
  const { operation, now } = scope;
  const { status = {} } = operation;
  if (!stepOf(status, 'RestoreFirst') || isServing(status) || !isNamed(scope)) return undefined;
  if (judgeRestore.RestoreFirst(scope, status).verdict !== 'done') return undefined;
  return { ...decided(status, 'RestoreFirst', 'Succeeded', undefined, now), phase: 'Running' };
};

/** A user leaves what a held restore still waits for. */
const isLeft = ({ operation }: OperationScope): boolean =>
  isEndedByUser(operation) && isServing(operation.status ?? {});

export const restoration: OperationDefinition = {
  steps: restoreSteps,
  observe: observeRestore,
  preflight: (observing) => {
    const { controlPlaneRef } = observing.cluster.spec ?? {};
    return controlPlaneRef && replacementPreflight(observing, [controlPlaneRef]);
  },
  task: (scope, status, step) => restoreTask(scope, status, step as RestoreStep),
  undo: {
    RolledBack: { run: recordRefused, afterEnd: proceed },
  },
  isFulfilled,
  isProved: (_, status) => isDone(status, 'Verify'),
  hold: (scope, status, error) => holdAfter(scope, status, error, heldMessage, messages),
  resumed,
  whileHeld: (scope) => (isLeft(scope) ? endRestore(scope, scope.operation.status ?? {}) : []),
  awaited: (scope) => (isLeft(scope) ? done : undefined),
  ended: ({ operation, now }, status) => cancelled(status, stoppedMessage(operation, status), now),
  messages,
  // The control plane is stopped, or waits for its other members.
  endsItself: ({ status = {} }) => stepOf(status, 'StopMembers') !== undefined,
};
