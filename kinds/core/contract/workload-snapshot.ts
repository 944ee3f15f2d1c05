import type { KubeObject, ObjectKey } from '../../../machinery/api/object.ts';
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { WorkloadSnapshotObject } from '../workload-snapshot/index.ts';

/**
 * What was last seen of the workload of the Cluster under `key`, once that Cluster is known: what a predecessor of the same
 * name left behind is not its.
 */
export const snapshotOf = (
  read: Reader,
  key: ObjectKey,
  cluster: KubeObject | undefined,
): WorkloadSnapshot | undefined => {
  const snapshot = found(read.get<WorkloadSnapshotObject>('WorkloadSnapshot', key));
  return snapshot && cluster && isOwnedBy(snapshot, cluster) ? snapshot.spec : undefined;
};
