/** Ends an operation early: a user cancels it, or another operation supersedes it. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { OperationType } from '../../core/contract/operation.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import { everAvailable, writtenTarget } from '../shared/scope.ts';
import type { Snapshot } from './observe.ts';
import type { ClusterOperation } from './schema.ts';

export interface Cancellation {
  because: string;
  /** A create that a user ends keeps what it has created, and creates nothing more. */
  holds: boolean;
}

/** The order in which a cluster has operations of these types, whatever their attempts. */
const order: readonly (OperationType | undefined)[] = ['create', 'upgrade', 'delete'];

const isNewer = ({ spec: other }: ClusterOperation, { spec }: ClusterOperation): boolean => {
  if (other?.type !== spec?.type) return order.indexOf(other?.type) > order.indexOf(spec?.type);
  return (other?.attempt ?? 0) > (spec?.attempt ?? 0);
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
  { operation, named }: Pick<Snapshot, 'operation' | 'named'>,
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

export const cancellationOf = (snapshot: Snapshot, clusterState: ClusterState): Cancellation | undefined => {
  const { operation } = snapshot;
  const { cluster } = clusterState;
  const isCreate = operation.spec?.type === 'create';
  if (operation.spec?.type !== 'delete' && isDeleting(cluster))
    return { because: 'the Cluster is being deleted', holds: false };
  if (isCreate && isSpared(operation, clusterState)) return { because: 'the cluster is Available', holds: false };
  const successor = supersededBy(snapshot, clusterState);
  if (successor !== undefined) return { because: `superseded by ${successor}`, holds: false };
  if (isTearingDown(operation, clusterState)) return undefined;
  const holds = isCreate && !everAvailable(cluster);
  if (isDeleting(operation)) return { because: 'it was deleted', holds };
  return operation.spec?.cancel && isCreate ? { because: 'spec.cancel is set', holds } : undefined;
};
