/**
 * The snapshot of another cluster that a new one begins with: whether it can, and the copy without what
 * belongs to the hosts of that cluster. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import { digestOf } from '../../common/digest.ts';
import type { Infrastructure } from '../../core/contract/infrastructure.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { originFileAnnotation, restoreFromOf, restoreWithoutOf } from '../../core/contract/origin.ts';
import type { CopyReport, Exclusion } from '../../ports/snapshots.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { obstacleInFile, type SnapshotStatus, skewOf, snapshotStatusOf, versionsOf } from '../restore/obstacle.ts';
import { conditionsOf, oneLine, withCause } from '../shared/cause.ts';
import { type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import { everAvailable, type OperationScope } from '../shared/scope.ts';
import { hasKey } from './encryption.ts';
import { commonExclusions, exclusionOf, remadeExclusions } from './exclusions.ts';

/** What an operation knows of a cluster's origin. */
export interface Origin {
  /** The EtcdSnapshot that the Cluster names. */
  original: Read<KubeObject>;
  copy: Read<KubeObject>;
  /** The API server's configuration of encryption; undefined if it has none. */
  encryption: Read<string> | undefined;
  /** Whether the control plane runs the cluster's etcd, and which version it asks for. */
  etcd: { isManaged: boolean; version: string | undefined };
}

interface CopyStatus extends SnapshotStatus {
  copy?: Partial<CopyReport>;
}
const copyStatusOf = (copy: KubeObject): CopyStatus => snapshotStatusOf(copy) as CopyStatus;

const longestName = 253;

/** Another snapshot, or other exclusions, are another copy. */
export const copyNameOf = (cluster: KubeObject): string => {
  const ending = `-origin-${digestOf([restoreFromOf(cluster) ?? '', ...restoreWithoutOf(cluster)]).slice(0, 8)}`;
  return `${cluster.metadata.name.slice(0, longestName - ending.length)}${ending}`;
};

const exclusionsFor = (cluster: KubeObject, original: KubeObject, provider: Infrastructure): Exclusion[] => {
  const { clusterName = '' } = (original.spec ?? {}) as { clusterName?: string };
  const own = restoreWithoutOf(cluster).map(exclusionOf);
  return [...own, ...commonExclusions, ...provider.exclusions(clusterName)];
};

type Facts = Pick<OperationScope, 'cluster' | 'clusterState'>;

const originalIn = ({ clusterState }: Facts): KubeObject | undefined =>
  clusterState.origin && found(clusterState.origin.original);
const copyIn = ({ clusterState }: Facts): KubeObject | undefined =>
  clusterState.origin && found(clusterState.origin.copy);

const refused = (message: string): Judgement => ({ verdict: 'refused', message });

const obstacleIn = ({ clusterState }: Facts, original: KubeObject, origin: Origin): string | undefined => {
  const controlPlane = clusterState.controlPlane && found(clusterState.controlPlane);
  if (!controlPlane || !origin.etcd.isManaged)
    return 'only a control plane that manages its etcd can begin with a snapshot';
  const provider = { managesEtcd: () => true, etcdVersion: () => origin.etcd.version };
  return obstacleInFile(original) ?? skewOf(versionsOf(original), { controlPlane, provider });
};

interface Network {
  serviceDomain?: string;
  services?: { cidrBlocks?: string[] };
}

/** Services keep their addresses and names. */
const networkFault = ({ spec }: KubeObject, { serviceSubnet, dnsDomain }: Partial<CopyReport>): string | undefined => {
  const { serviceDomain, services } = ((spec as { clusterNetwork?: Network } | undefined)?.clusterNetwork ??
    {}) as Network;
  const [subnet, domain] = [services?.cidrBlocks?.join(',') || '10.96.0.0/12', serviceDomain || 'cluster.local'];
  if (serviceSubnet !== undefined && serviceSubnet !== subnet)
    return `its Services have addresses of ${serviceSubnet}, not of ${subnet}: set spec.clusterNetwork.services of the Cluster to it`;
  if (dnsDomain !== undefined && dnsDomain !== domain)
    return `its Services are in the domain ${dnsDomain}, not ${domain}: set spec.clusterNetwork.serviceDomain of the Cluster to it`;
  return undefined;
};

const encryptionFault = (
  { encryption: used = [] }: Partial<CopyReport>,
  { encryption }: Origin,
): string | undefined => {
  const missing = used.filter((key) => !hasKey(encryption && found(encryption), key));
  if (missing.length === 0) return undefined;
  return `it is encrypted with ${missing.join(', ')}, which no --encryption-provider-config of the control plane has: add the file, with the keys of the cluster that the snapshot is of`;
};

const faultOfCopy = ({ cluster }: Facts, origin: Origin, report: Partial<CopyReport>): string | undefined => {
  const { unsearched = [] } = report;
  if (unsearched.length > 0)
    return `${unsearched.join(' and ')} are encrypted in it, so that those which name resources of the other cluster cannot be left out`;
  return encryptionFault(report, origin) ?? networkFault(cluster, report);
};

const partOf = ({ what, count, names }: CopyReport['detached'][number]): string =>
  names[0] === what ? what : `${count} ${what} (${names.slice(0, 5).join(', ')}${count > 5 ? ', …' : ''})`;

/** Their names tell a person nothing. */
const remade = new Set(remadeExclusions.map(({ what }) => what));

/** What the copy keeps from the cluster, for its record. */
export const detachedMessage = (snapshot: string, copy: string, detached: CopyReport['detached']): string => {
  const named = detached.filter(({ what }) => !remade.has(what)).map(partOf);
  const others = detached.filter(({ what }) => remade.has(what)).map(({ what, count }) => `${count} ${what}`);
  const left = [...named, ...others].join('; ');
  return `The cluster begins with EtcdSnapshot ${copy}, a copy of ${snapshot}${left === '' ? '' : `. Left out of its API, because they belong to the other cluster: ${left}`}`;
};

/** Whether the cluster can be created with what it begins with; done if it begins empty. */
export const judgeOrigin = (scope: Facts): Judgement | undefined => {
  const { cluster, clusterState } = scope;
  const name = restoreFromOf(cluster);
  const { origin } = clusterState;
  if (name === undefined || everAvailable(cluster)) return undefined;
  if (!origin) return pending(`waiting for EtcdSnapshot ${name}`);
  const original = found(origin.original);
  if (!original)
    return origin.original.state === 'absent'
      ? refused(`EtcdSnapshot ${name}, which the cluster is to begin with, does not exist in its namespace`)
      : pending(`waiting for EtcdSnapshot ${name}`);
  const { phase = 'Pending' } = snapshotStatusOf(original);
  if ((phase === 'Pending' || phase === 'Running') && !isDeleting(original))
    return pending(`waiting for EtcdSnapshot ${name}, which is ${phase}`);
  const obstacle = obstacleIn(scope, original, origin);
  if (obstacle !== undefined) return refused(obstacle);
  const copy = copyIn(scope);
  if (!copy) return pending(`waiting for a copy of EtcdSnapshot ${name}`);
  const { name: copyName } = copy.metadata;
  const { message = '' } = conditionOf(conditionsOf(copy), 'Ready') ?? {};
  const status = copyStatusOf(copy);
  if (status.phase === 'Failed') return refused(withCause(`EtcdSnapshot ${copyName} failed`, oneLine(message)));
  if (status.phase !== 'Succeeded')
    return pending(withCause(`waiting for EtcdSnapshot ${copyName}`, message ? oneLine(message) : undefined));
  const fault = faultOfCopy(scope, origin, status.copy ?? {});
  if (fault !== undefined) return refused(`EtcdSnapshot ${name} cannot be restored into this cluster: ${fault}`);
  return skipped(detachedMessage(name, copyName, status.copy?.detached ?? []));
};

/** Creates the copy, once nothing speaks against it; deletes a failed one before another attempt. */
export const copyOrigin = (scope: OperationScope): Action[] => {
  const { cluster, clusterState } = scope;
  const { origin, provider } = clusterState;
  const original = originalIn(scope);
  if (!original || !origin || origin.copy.state !== 'absent' || judgeOrigin(scope)?.verdict !== 'pending') return [];
  if (snapshotStatusOf(original).phase !== 'Succeeded') return [];
  const object: KubeObject = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: {
      namespace: cluster.metadata.namespace ?? '',
      name: copyNameOf(cluster),
      ownerReferences: [clusterReference(cluster)],
    },
    spec: {
      clusterName: cluster.metadata.name,
      reason: 'Copy',
      source: { name: original.metadata.name, without: exclusionsFor(cluster, original, provider) },
    },
  };
  return [{ do: 'create', object }];
};

/** The copy that a successful preflight has proven. */
export const noteOrigin = (scope: Facts, status: OperationStatus): OperationStatus => {
  const copy = restoreFromOf(scope.cluster) === undefined ? undefined : copyIn(scope);
  if (!copy || status.snapshot) return status;
  const { phase, location, checksum, revision = 0, completedAt } = copyStatusOf(copy);
  if (phase !== 'Succeeded' || !location || !checksum) return status;
  return { ...status, snapshot: { location, checksum, revision, ...(completedAt && { completedAt }) } };
};

/** What admission writes on the Cluster besides its target. */
export const originAnnotation = ({ cluster }: Facts, { snapshot }: OperationStatus): Record<string, string> => {
  if (!snapshot || restoreFromOf(cluster) === undefined) return {};
  const { location, checksum } = snapshot;
  return { [originFileAnnotation]: JSON.stringify({ location, checksum }) };
};
