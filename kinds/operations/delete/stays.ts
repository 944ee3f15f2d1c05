/** What a deletion leaves behind, because it was not created for the cluster. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { ClusterState } from '../shared/cluster-state.ts';

/** Recorded while the objects that show it still exist. */
export const withStays = (status: OperationStatus, clusterState: ClusterState): OperationStatus => {
  const { cluster, infrastructure, infraMachines, provider } = clusterState;
  const seen = provider?.stays(cluster, infrastructure && found(infrastructure), infraMachines) ?? [];
  const stays = [...new Set([...(status.stays ?? []), ...seen])].sort();
  return stays.length > 0 ? { ...status, stays } : status;
};
