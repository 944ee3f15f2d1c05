/** What a deletion leaves behind, because Capstan did not create it. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { ClusterState } from '../shared/cluster-state.ts';

/** Recorded while the objects that name these resources still exist. */
export const withStays = (status: OperationStatus, clusterState: ClusterState): OperationStatus => {
  const { cluster, infrastructure, infraMachines, provider } = clusterState;
  const seen = provider.stays(cluster, infrastructure && found(infrastructure), infraMachines);
  const stays = [...new Set([...(status.stays ?? []), ...seen])].sort();
  return stays.length > 0 ? { ...status, stays } : status;
};
