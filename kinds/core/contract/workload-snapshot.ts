import type { KubeObject, ObjectKey } from '../../../machinery/api/object.ts';
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';

/**
 * The last snapshot of the Cluster under `key`, once that Cluster is known; a snapshot of a former
 * Cluster of the same name does not count.
 */
export const snapshotOf = (
  read: Reader,
  key: ObjectKey,
  cluster: KubeObject | undefined,
): WorkloadSnapshot | undefined => {
  const snapshot = found(read.get('WorkloadSnapshot', key));
  return snapshot && cluster && isOwnedBy(snapshot, cluster) ? snapshot.spec : undefined;
};
