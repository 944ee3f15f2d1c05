/**
 * Which Cluster owns an operation, even after a client removed the owner reference or the label.
 * Pure.
 */
import type { MergePatch } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { hasReference, ownerReference, ownersOf, withOwner } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { ClusterOperation } from './schema.ts';

/** The owner reference that an operation of the Cluster has. */
export const clusterReference = (cluster: Cluster) => ({
  ...ownerReference(cluster),
  controller: false,
  blockOwnerDeletion: false,
});

const clusterOwner = (operation: ClusterOperation) => ownersOf(operation).find(({ kind }) => kind === 'Cluster');

/**
 * Without an owner reference the creation time decides: an operation is younger than its Cluster,
 * and a Cluster of the same name is created only after the former one is gone.
 */
export const isOperationOf = (operation: ClusterOperation, cluster: Cluster): boolean => {
  const owner = clusterOwner(operation);
  if (owner) return owner.uid === cluster.metadata.uid;
  return (operation.metadata.creationTimestamp ?? '') >= (cluster.metadata.creationTimestamp ?? '');
};

/** The patch that restores owner reference and label; undefined when both are present. */
export const claimOf = (operation: ClusterOperation, cluster: Cluster): MergePatch | undefined => {
  const reference = clusterReference(cluster);
  const isOwned = hasReference(operation, reference);
  if (isOwned && operation.metadata.labels?.[labels.cluster] === cluster.metadata.name) return undefined;
  const ownerReferences = withOwner(operation, reference);
  return {
    metadata: { labels: { [labels.cluster]: cluster.metadata.name }, ...(!isOwned && { ownerReferences }) },
  };
};
