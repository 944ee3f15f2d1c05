/** The inputs of each decision about an operation, and how the Cluster's target moves. Pure. */

import { isTrue } from '../../../machinery/api/conditions.ts';
import type { Action, Answer, Context } from '../../../machinery/api/reconcile.ts';
import { patchAsObserved } from '../../common/owners.ts';
import { hasPaused } from '../../common/paused.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import { operationAnnotations, wasAvailable } from '../../core/contract/target.ts';
import type { ClusterOperation, OperationSpec, OperationStatus } from '../cluster-operation/schema.ts';
import type { ClusterState } from './cluster-state.ts';
import { type Policy, policyOf } from './policy.ts';

export interface OperationScope {
  operation: ClusterOperation;
  spec: OperationSpec;
  cluster: Cluster;
  clusterState: ClusterState;
  preflight: Preflight | undefined;
  policy: Policy;
  /** Milliseconds since the epoch. */
  now: number;
  random: Context['random'];
}

/** The answer to a waiting task. */
export type TaskAnswer = { output: Record<string, string> } | { error: string; cause: string };

/** The outcome of one task, or of a pass over the operation. */
export interface Outcome {
  status: OperationStatus;
  /** Absent while the task keeps waiting. */
  answer?: TaskAnswer;
  actions?: Action[];
  /** Seconds. */
  requeueAfter?: number;
}

export const answerTo = (id: string, answer: TaskAnswer): Answer => ({ to: id, ...answer });

export const scopeOf = (
  operation: ClusterOperation,
  spec: OperationSpec,
  { clusterState, preflight }: { clusterState: ClusterState; preflight: Preflight | undefined },
  { now, random }: Pick<Context, 'now' | 'random'>,
): OperationScope => ({
  operation,
  spec,
  cluster: clusterState.cluster,
  clusterState,
  preflight,
  policy: policyOf(clusterState.cluster),
  now,
  random,
});

/**
 * A cluster that a user may already rely on: an operation neither tears it down nor holds it back.
 */
export const everAvailable = (cluster: Cluster): boolean =>
  wasAvailable(cluster) || isTrue(cluster.status?.conditions, 'Available');

type Written = 'Build' | 'Hold' | 'Nothing';
const isWritten = (text: string | undefined): text is Written =>
  text === 'Build' || text === 'Hold' || text === 'Nothing';

/** The target in the Cluster's annotation; undefined if there is none. */
export const writtenTarget = ({ metadata }: Cluster): Written | undefined => {
  const target = metadata.annotations?.[operationAnnotations.target];
  return isWritten(target) ? target : undefined;
};

export const isNamed = ({ operation, cluster }: Pick<OperationScope, 'operation' | 'cluster'>): boolean =>
  cluster.metadata.annotations?.[operationAnnotations.operation] === operation.metadata.name;

/**
 * Moves the Cluster's target, conditional on its observed resourceVersion: the patch fails if the
 * Cluster has become Available or names another operation since. `more`: annotations beside it.
 */
export const moveTarget = (scope: OperationScope, target: Written, more: Record<string, string> = {}): Action[] => {
  const { cluster } = scope;
  if (!isNamed(scope) || writtenTarget(cluster) === target) return [];
  if (target !== 'Build' && everAvailable(cluster)) return [];
  return [patchAsObserved(cluster, { metadata: { annotations: { [operationAnnotations.target]: target, ...more } } })];
};

/** A paused Cluster stops decisions and clocks. */
export const isPaused = ({ spec, metadata }: Cluster): boolean => spec?.paused === true || hasPaused({ metadata });
