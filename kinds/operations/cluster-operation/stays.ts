/** What a deletion leaves behind, because it was not created for the cluster. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { OperationStatus } from './schema.ts';
import type { Situation } from './steps/situation.ts';

/** Recorded while the objects that show it still exist. */
export const withStays = (status: OperationStatus, situation: Situation): OperationStatus => {
  const { cluster, infrastructure, infraMachines, provider } = situation;
  const seen = provider?.stays(cluster, infrastructure && found(infrastructure), infraMachines) ?? [];
  const stays = [...new Set([...(status.stays ?? []), ...seen])].sort();
  return stays.length > 0 ? { ...status, stays } : status;
};
