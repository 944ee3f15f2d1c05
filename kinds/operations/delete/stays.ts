/** What outlives a deletion: what Capstan did not create, and snapshots whose files go later. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { ClusterState } from '../shared/cluster-state.ts';

/** Recorded while the objects that name these resources still exist. */
export const withStays = (status: OperationStatus, clusterState: ClusterState): OperationStatus => {
  const { cluster, infrastructure, infraMachines, provider } = clusterState;
  const seen = provider.stays(cluster, infrastructure && found(infrastructure), infraMachines);
  const stays = [...new Set([...(status.stays ?? []), ...seen])].sort();
  return stays.length > 0 ? { ...status, stays } : status;
};

/** The garbage collector deletes them when the Cluster is gone, and their storage may refuse to delete a file. */
export const withSnapshots = (
  { snapshots: _, ...status }: OperationStatus,
  { snapshots, cluster }: ClusterState,
): OperationStatus => {
  const going = snapshots.filter((snapshot) => isOwnedBy(snapshot, cluster)).map(({ metadata }) => metadata.name);
  return going.length > 0 ? { ...status, snapshots: going.toSorted() } : status;
};

/** Restores kept them, and the installation deletes them in the end. */
export const withCopies = (status: OperationStatus, { stayingCopies }: ClusterState): OperationStatus => {
  const copies = stayingCopies && found(stayingCopies);
  if (!copies) return status;
  const { disks: _, disksRemoval: __, ...rest } = status;
  return copies.disks.length > 0 ? { ...rest, disks: copies.disks, disksRemoval: copies.removal } : rest;
};
