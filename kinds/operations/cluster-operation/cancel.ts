/** Ends an operation early: a user cancels it, or another operation supersedes it. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { factsOf } from '../facts.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { cancelledByUser } from '../shared/messages.ts';
import { everAvailable, writtenTarget } from '../shared/scope.ts';
import type { Observed } from './observe.ts';
import type { ClusterOperation } from './schema.ts';

export interface Cancellation {
  because: string;
  /** What it has created is kept, and nothing more is created. */
  holds: boolean;
}

const placeOf = (type: string | undefined): number => factsOf(type)?.place ?? 0;

const isNewer = (other: ClusterOperation, one: ClusterOperation): boolean => {
  const [before, after] = [one.spec, other.spec];
  const distance = placeOf(after?.type) - placeOf(before?.type);
  if (distance !== 0) return distance > 0;
  if (before?.type !== after?.type)
    return (other.metadata.creationTimestamp ?? '') > (one.metadata.creationTimestamp ?? '');
  return (after?.attempt ?? 0) > (before?.attempt ?? 0);
};

const nameIn = (cluster: ClusterState['cluster']): string | undefined =>
  cluster.metadata.annotations?.[operationAnnotations.operation];

/**
 * The Cluster became Available before the operation was named, and names another operation or none.
 */
const isSpared = ({ metadata, status }: ClusterOperation, { cluster }: ClusterState): boolean =>
  status?.execution === undefined && nameIn(cluster) !== metadata.name && everAvailable(cluster);

/** The Cluster named the operation and no longer does, or named a newer one instead. */
const supersededBy = (
  { operation, named }: Pick<Observed, 'operation' | 'named'>,
  { cluster }: ClusterState,
): string | undefined => {
  const name = nameIn(cluster);
  if (name === operation.metadata.name) return undefined;
  if (operation.status?.execution !== undefined) return name ?? 'nothing';
  const other = named && found(named);
  return other && isNewer(other, operation) ? name : undefined;
};

export const isTearingDown = ({ status }: ClusterOperation, { cluster }: ClusterState): boolean =>
  status?.step === 'TearDown' || writtenTarget(cluster) === 'Nothing';

export const cancellationOf = (
  observed: Observed,
  clusterState: ClusterState,
  { endsCluster, endsAtOnce, endsItself }: Partial<OperationDefinition>,
): Cancellation | undefined => {
  const { operation } = observed;
  const { cluster } = clusterState;
  if (!endsCluster && isDeleting(cluster)) return { because: 'the Cluster is being deleted', holds: false };
  if (endsAtOnce && isSpared(operation, clusterState)) return { because: 'the cluster is Available', holds: false };
  const successor = supersededBy(observed, clusterState);
  if (successor !== undefined) return { because: `superseded by ${successor}`, holds: false };
  if (isTearingDown(operation, clusterState)) return undefined;
  const holds = endsAtOnce === true && !everAvailable(cluster);
  if (isDeleting(operation) && !endsItself?.(operation)) return { because: 'it was deleted', holds };
  return operation.spec?.cancel && endsAtOnce ? { because: cancelledByUser(operation), holds } : undefined;
};
