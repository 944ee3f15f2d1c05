import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import { keepOf, parseSchedule, type Schedule, scheduleAnnotations } from '../../common/snapshot-schedule.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import type { EtcdSnapshot } from '../etcd-snapshot/index.ts';

export interface Observed {
  cluster: Cluster;
  /** Absent without a valid schedule, and before the cluster was first Available. */
  plan?: { schedule: Schedule; keep: number };
  /** The snapshots of the cluster, oldest first; undefined while they are unread. */
  snapshots: EtcdSnapshot[] | undefined;
}

const createdOf = ({ metadata }: EtcdSnapshot): string => metadata.creationTimestamp ?? '';

export const observe = (cluster: Cluster, read: Reader): Observed => {
  const { namespace = '', name, annotations = {} } = cluster.metadata;
  const schedule = parseSchedule(annotations[scheduleAnnotations.schedule] ?? '');
  if (!schedule || isDeleting(cluster) || !wasAvailable(cluster)) return { cluster, snapshots: [] };
  const list = read.list('EtcdSnapshot', { namespace, cluster: name });
  const own = found(list)?.filter((snapshot) => isOwnedBy(snapshot, cluster) || !snapshot.metadata.ownerReferences);
  return {
    cluster,
    plan: { schedule, keep: keepOf(annotations[scheduleAnnotations.keep]) ?? 1 },
    snapshots: own?.sort((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1)),
  };
};
