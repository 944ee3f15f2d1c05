/**
 * The phase of an operation that waits for a user to resume it. Only its readers see that phase: to
 * decisions it is Running. Pure.
 */
import { stepOf } from '../shared/progress.ts';
import type { ClusterOperation, OperationStatus } from './schema.ts';

export const withoutPause = (operation: ClusterOperation): ClusterOperation =>
  operation.status?.phase === 'Paused'
    ? { ...operation, status: { ...operation.status, phase: 'Running' } }
    : operation;

/** `isClusterPaused`: nothing of the Cluster is reconciled. */
export const withPause = (status: OperationStatus, isClusterPaused: boolean): OperationStatus => {
  const { phase, step = '' } = status;
  const isPaused = isClusterPaused || stepOf(status, step)?.verdict === 'Paused';
  return phase === 'Running' && isPaused ? { ...status, phase: 'Paused' } : status;
};
