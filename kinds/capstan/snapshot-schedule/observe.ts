import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { installationName } from '../../common/installation.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { follow } from '../../core/contract/references.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import type { EtcdSnapshot } from '../etcd-snapshot/index.ts';
import { keepOf, noSchedule, parseSchedule, type Schedule, scheduleAnnotations } from './schedule.ts';

export interface Observed {
  cluster: Cluster;
  /** Absent without a valid schedule, and before the cluster was first Available. */
  plan?: { schedule: Schedule; keep: number };
  /** The installation's schedule begins once the cluster is Available. */
  isAwaited?: boolean;
  /** The snapshots of the cluster, oldest first; undefined while they are unread, and before it was Available. */
  snapshots: EtcdSnapshot[] | undefined;
}

const createdOf = ({ metadata }: EtcdSnapshot): string => metadata.creationTimestamp ?? '';

interface Wanted {
  text: string;
  keep?: number | undefined;
}

/** The installation's schedule. */
const defaultOf = ({ spec }: Cluster, read: Reader): Wanted | undefined => {
  const installation = found(read.get('Installation', { namespace: '', name: installationName }));
  const { snapshotSchedule: text, snapshotKeep: keep } = installation?.spec ?? {};
  return text === undefined || !spec?.controlPlaneRef ? undefined : { text, keep };
};

/** Whether there is an etcd that can be read. */
const managesEtcd = (
  { metadata: { namespace = '' }, spec }: Cluster,
  read: Reader,
  controlPlanes: readonly ControlPlaneProvider[],
): boolean => {
  const controlPlane = spec?.controlPlaneRef && found(follow(read, namespace, spec.controlPlaneRef, 'ControlPlane'));
  return controlPlane !== undefined && controlPlaneQueries(controlPlane, controlPlanes).managesEtcd(controlPlane);
};

const keptOf = (own: string | undefined, byDefault: number | undefined): number =>
  own === undefined && byDefault !== undefined ? byDefault : (keepOf(own) ?? 1);

const snapshotsOf = (cluster: Cluster, read: Reader): EtcdSnapshot[] | undefined => {
  const { namespace = '', name } = cluster.metadata;
  const list = read.list('EtcdSnapshot', { namespace, cluster: name });
  const own = found(list)?.filter((snapshot) => isOwnedBy(snapshot, cluster) || !snapshot.metadata.ownerReferences);
  return own?.sort((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1));
};

export const observe = (cluster: Cluster, read: Reader, controlPlanes: readonly ControlPlaneProvider[]): Observed => {
  const { annotations = {} } = cluster.metadata;
  if (isDeleting(cluster)) return { cluster, snapshots: undefined };
  const snapshots = wasAvailable(cluster) ? snapshotsOf(cluster, read) : undefined;
  const text = annotations[scheduleAnnotations.schedule];
  const wanted: Wanted | undefined = text === undefined ? defaultOf(cluster, read) : { text };
  const schedule = parseSchedule(wanted?.text ?? noSchedule);
  if (!schedule) return { cluster, snapshots };
  if (!wasAvailable(cluster)) return { cluster, snapshots, isAwaited: text === undefined };
  if (text === undefined && !managesEtcd(cluster, read, controlPlanes)) return { cluster, snapshots };
  return {
    cluster,
    plan: { schedule, keep: keptOf(annotations[scheduleAnnotations.keep], wanted?.keep) },
    snapshots,
  };
};
