/**
 * The messages of an operation. They contain no times, so that they change only if the state does.
 */

import type { Cluster } from '../../core/cluster/index.ts';
import { policyAnnotations } from '../../core/contract/target.ts';
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import { oneLine } from './cause.ts';
import { failedStep } from './progress.ts';
import { listOf } from './proof.ts';
import { type OperationScope, writtenTarget } from './scope.ts';

const retry = ({ spec, metadata }: ClusterOperation): string =>
  `capstan retry cluster ${spec?.clusterName ?? ''} -n ${metadata.namespace ?? ''}`;

/** Which step failed, and why. */
export const failureOf = (status: OperationStatus): string => {
  const step = failedStep(status);
  if (!step) return 'The operation could not go on';
  const why = step.message ? `: ${oneLine(step.message)}` : '';
  switch (step.verdict) {
    case 'DeadlineExceeded':
      return `Step ${step.name} was not done before the deadline${why}`;
    case 'Refused':
      return `Step ${step.name} was refused${why}`;
    default:
      return `Step ${step.name} failed${why}`;
  }
};

const wasLate = (status: OperationStatus): boolean => failedStep(status)?.verdict === 'DeadlineExceeded';

/** How to continue after a failed create. */
const remedy = (operation: ClusterOperation, status: OperationStatus): string => {
  const longer = wasLate(status) ? ` A longer ${policyAnnotations.createDeadline} gives it more time.` : '';
  return `Remove the cause, then run: ${retry(operation)}. A change of the spec tries again by itself.${longer}`;
};

export const tearingDown = (status: OperationStatus, waitsFor: string): string =>
  `${failureOf(status)}. What was made of it is being removed: ${waitsFor}`;

export const tornDownMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${failureOf(status)}. Nothing is left of it. ${remedy(operation, status)}`;

export const heldByPolicy = (operation: ClusterOperation, status: OperationStatus): string =>
  `${failureOf(status)}. All that was made is kept, nothing new is bought. ${remedy(operation, status)}`;

/** Held by a bug, an outage or a stopped workflow, not by a failure of the cluster. */
export const heldByError = (
  { operation, cluster }: Pick<OperationScope, 'operation' | 'cluster'>,
  because: string,
): string =>
  operation.spec?.type === 'delete'
    ? `${because}. The deletion goes on by itself, and ends when nothing is left.`
    : `${because}. ${untouched(cluster)}. To begin anew, run: ${retry(operation)}.`;

const untouched = (cluster: Cluster): string => {
  switch (writtenTarget(cluster)) {
    case undefined:
      return 'Nothing has been made yet';
    case 'Hold':
      return 'All that was made is kept, nothing new is bought';
    case 'Build':
    case 'Nothing':
      return 'Nothing was undone, and the cluster goes on being built';
  }
};

export const heldInTearDown = (status: OperationStatus, waitsFor: string): string =>
  `${failureOf(status)}. It could not be undone yet: ${waitsFor}. It is tried again until nothing is left`;

export const heldInDeletion = (waitsFor: string): string =>
  `The deletion could not be finished yet: ${waitsFor}. It is tried again until nothing is left`;

export const cancelledMessage = (operation: ClusterOperation, because: string, isHeld: boolean): string =>
  isHeld && operation.spec?.type === 'create'
    ? `Cancelled: ${because}. All that was made is kept, nothing new is bought. To go on, run: ${retry(operation)}`
    : `Cancelled: ${because}`;

export const succeededMessage = ({ spec }: ClusterOperation, { stays = [] }: OperationStatus): string => {
  if (spec?.type !== 'delete') return 'The cluster is Available';
  return stays.length === 0
    ? 'Nothing is left of the cluster'
    : `Nothing that was made for the cluster is left; what does not carry its tags stays as it is: ${listOf(stays)}`;
};

export const pausedMessage = 'The cluster is paused: nothing is decided, and the clock stands still';
