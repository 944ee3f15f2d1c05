/** Why a snapshot cannot be restored into a cluster, for the API's admission and for the operation. Pure. */
import { isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ControlPlaneQueries } from '../../core/contract/control-plane.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { clusterUidIn } from '../../core/contract/restore.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import { conditionsOf } from '../shared/cause.ts';
import type { OperationScope } from '../shared/scope.ts';

/** What both read of an EtcdSnapshot. */
export interface SnapshotStatus {
  phase?: string;
  location?: string;
  checksum?: string;
  revision?: number;
  completedAt?: string;
  etcdVersion?: string;
  kubernetesVersion?: string;
  keys?: { kept?: string[]; request?: string; restored?: string[]; message?: string };
  verification?: { request?: string; valid: boolean; message?: string };
}
export const snapshotStatusOf = ({ status }: KubeObject): SnapshotStatus => (status ?? {}) as SnapshotStatus;

/** The EtcdSnapshot that the operation names. */
export const snapshotIn = ({ clusterState, spec }: Pick<OperationScope, 'clusterState' | 'spec'>) =>
  clusterState.snapshots.find(({ metadata }) => metadata.name === spec.snapshot);

/** Whose versions a control plane must have to read the data. */
export interface Versions {
  /** Of the EtcdSnapshot. */
  name: string;
  etcdVersion?: string | undefined;
  kubernetesVersion?: string | undefined;
}

export const versionsOf = (snapshot: KubeObject): Versions => {
  const { etcdVersion, kubernetesVersion } = snapshotStatusOf(snapshot);
  return { name: snapshot.metadata.name, etcdVersion, kubernetesVersion };
};

export interface RestoreFacts {
  cluster: KubeObject;
  controlPlane: KubeObject | undefined;
  provider: Pick<ControlPlaneQueries, 'managesEtcd' | 'etcdVersion'> | undefined;
  /** Of the cluster's namespace. */
  snapshot: KubeObject;
}

/** Why the snapshot has no file to restore. */
export const obstacleInFile = (snapshot: KubeObject): string | undefined => {
  const { name } = snapshot.metadata;
  const { phase = 'Pending', location, checksum } = snapshotStatusOf(snapshot);
  if (isDeleting(snapshot)) return `EtcdSnapshot ${name} is being deleted`;
  if (phase !== 'Succeeded' || !location || !checksum) return `EtcdSnapshot ${name} is ${phase}, and has no file`;
  if (!isTrue(conditionsOf(snapshot), 'Ready')) {
    const why = conditionsOf(snapshot).find(({ type }) => type === 'Ready')?.message;
    return `EtcdSnapshot ${name} is not Ready${why ? `: ${why}` : ''}`;
  }
  return undefined;
};

const obstacleInSnapshot = ({ snapshot, cluster }: RestoreFacts): string | undefined => {
  const { name } = snapshot.metadata;
  const obstacle = obstacleInFile(snapshot);
  if (obstacle !== undefined) return obstacle;
  if (clusterUidIn(snapshotStatusOf(snapshot).location) !== cluster.metadata.uid)
    return `EtcdSnapshot ${name} is of another cluster, whose certificates and addresses it holds; to create a cluster that begins with it, run: capstan snapshot restore ${name} --into NEW -f FILE`;
  return undefined;
};

/** Such as 3.6 of v3.6.6, and of an image's tag 3.6.6-0. */
const minorOf = (version: string | undefined): string | undefined => /^v?(\d+\.\d+)\./.exec(version ?? '')?.[1];

/** An older etcd or API server cannot read newer data, and a newer one would be an upgrade without a way back. */
export const skewOf = (
  { name, kubernetesVersion, etcdVersion }: Versions,
  { controlPlane, provider }: Pick<RestoreFacts, 'controlPlane' | 'provider'>,
): string | undefined => {
  const { version } = (controlPlane?.spec ?? {}) as { version?: string };
  const [has, wants] = [minorOf(kubernetesVersion), minorOf(version)];
  if (has !== wants)
    return `EtcdSnapshot ${name} is of Kubernetes ${kubernetesVersion}, but ${controlPlane?.kind} ${controlPlane?.metadata.name} asks for ${version}: set its spec.version to a patch of v${has} first`;
  const pinned = controlPlane && provider?.etcdVersion?.(controlPlane);
  const [old, next] = [minorOf(etcdVersion), minorOf(pinned)];
  if (old !== undefined && next !== undefined && old !== next)
    return `EtcdSnapshot ${name} is of etcd ${etcdVersion}, but the control plane asks for etcd ${pinned}`;
  return undefined;
};

const isExternallyManaged = ({ status }: KubeObject): boolean =>
  (status as { externalManagedControlPlane?: boolean } | undefined)?.externalManagedControlPlane === true;

/** Undefined if nothing speaks against it. */
export const obstacleToRestore = (facts: RestoreFacts): string | undefined => {
  const { cluster, controlPlane, provider } = facts;
  if (isDeleting(cluster)) return 'the Cluster is being deleted';
  if (!wasAvailable(cluster)) return 'the Cluster was never Available';
  if (!controlPlane) return 'the Cluster has no control plane object';
  const owner = `${controlPlane.kind} ${controlPlane.metadata.name}`;
  if (isDeleting(controlPlane)) return `${owner} is being deleted`;
  if (!provider?.managesEtcd(controlPlane) || isExternallyManaged(controlPlane))
    return `etcd is not managed by ${owner}: restore it where it runs`;
  return obstacleInSnapshot(facts) ?? skewOf(versionsOf(facts.snapshot), facts);
};
