/** What every decision about one operation looks at, and how the target of its Cluster moves. Pure. */
import { isTrue } from '../../../machinery/api/conditions.ts';
import type { Action, Answer, Context } from '../../../machinery/api/reconcile.ts';
import { patchAsObserved } from '../../common/owners.ts';
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

/** What a waiting task is told. */
export type Told = { output: Record<string, string> } | { error: string; cause: string };

/** What became of one task, or of the operation as a whole. */
export interface Outcome {
  status: OperationStatus;
  /** Absent = it goes on waiting. */
  told?: Told;
  actions?: Action[];
  /** Seconds. */
  requeueAfter?: number;
}

export const answerTo = (id: string, told: Told): Answer => ({ to: id, ...told });

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

/** Such a cluster is somebody's: nothing of it is torn down or held back any more. */
export const everAvailable = (cluster: Cluster): boolean =>
  wasAvailable(cluster) || isTrue(cluster.status?.conditions, 'Available');

type Written = 'Build' | 'Hold' | 'Nothing';
const isWritten = (text: string | undefined): text is Written =>
  text === 'Build' || text === 'Hold' || text === 'Nothing';

/** As it is written on the Cluster; undefined when nothing is. */
export const writtenTarget = ({ metadata }: Cluster): Written | undefined => {
  const target = metadata.annotations?.[operationAnnotations.target];
  return isWritten(target) ? target : undefined;
};

export const isNamed = ({ operation, cluster }: Pick<OperationScope, 'operation' | 'cluster'>): boolean =>
  cluster.metadata.annotations?.[operationAnnotations.operation] === operation.metadata.name;

/**
 * Moves the target of the Cluster exactly as it was observed: a Cluster that has become Available in between, or that names
 * another operation by now, refuses it.
 */
export const moveTarget = (scope: OperationScope, target: Written): Action[] => {
  const { cluster } = scope;
  if (!isNamed(scope) || writtenTarget(cluster) === target) return [];
  if (target !== 'Build' && everAvailable(cluster)) return [];
  return [patchAsObserved(cluster, { metadata: { annotations: { [operationAnnotations.target]: target } } })];
};

/** Stops decisions and clocks. */
export const isPaused = ({ spec, metadata }: Cluster): boolean =>
  spec?.paused === true || metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
