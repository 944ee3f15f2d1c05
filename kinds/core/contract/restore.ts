/**
 * How an operation has a control plane restored from a snapshot of etcd: what it asks of the control
 * plane, and what that reports on its Machines. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { objectTarget, objectTargets } from './object-targets.ts';

/**
 * By how much a restore raises etcd's revision. Clients that watch from a revision after the snapshot
 * would otherwise miss changes without an error.
 */
export const revisionBump = 1_000_000_000;

/** The key of a file is INSTALLATION/CLUSTER-UID/…, so that it tells whose etcd it is. */
export const clusterUidIn = (location: string | undefined): string | undefined => location?.split('/').at(-2);

export interface Restoring {
  /** The ClusterOperation, and its uid: a later one may have its name. */
  operation: string;
  uid: string;
  /**
   * Stop: the Machines of before are deleted, and none is created. First: one Machine starts etcd on
   * the snapshot. Join: the others join it.
   */
  step: 'Stop' | 'First' | 'Join';
  /** The key of the file, and its hash. */
  location: string;
  checksum: string;
  /** The Kubernetes version that the operation proved to fit; absent: that of the spec. */
  version?: string;
  /** Provider IDs of the hosts of before, once they are proven to be off. */
  hosts: string[];
}

/** Reserved annotations of a control plane Machine. */
export const restoreAnnotations = {
  /** The uid of the restore that it was created for. */
  restoredBy: 'capstan.dev/restored-by',
  /** The revision of its etcd, as the control plane has read it. */
  revision: 'capstan.dev/restored-revision',
} as const;

/**
 * The restore that the control plane carries out. It also holds once the Cluster names the operation that
 * comes next, which sets another target as its first act on the control plane: without members, only a
 * restore starts that.
 */
export const restoringOf = (cluster: KubeObject, controlPlane: KubeObject): Restoring | undefined => {
  const { target, restore } = objectTarget(cluster, controlPlane) ?? {};
  return target === 'Restore' ? restore : undefined;
};

/**
 * The control plane as its restore builds it: a version that its spec asks for since then waits for an
 * upgrade.
 */
export const asRestored = <T extends KubeObject>(cluster: KubeObject, controlPlane: T): T => {
  const { version } = restoringOf(cluster, controlPlane) ?? {};
  return version === undefined
    ? controlPlane
    : { ...controlPlane, spec: { ...(controlPlane.spec as object), version } };
};

/** Whether a restore of the cluster still needs the file: its hosts may not have read it yet. */
export const isRestoredFrom = (cluster: KubeObject, location: string | undefined): boolean =>
  location !== undefined &&
  Object.values(objectTargets(cluster)).some((one) => one?.target === 'Restore' && one.restore?.location === location);

/** Whether the Machine was created for this restore. */
export const isOfRestore = ({ metadata }: KubeObject, { uid }: Pick<Restoring, 'uid'>): boolean =>
  metadata.annotations?.[restoreAnnotations.restoredBy] === uid;

/** The revision that the Machine's etcd had when it was first read; undefined before. */
export const restoredRevisionOf = ({ metadata }: KubeObject): number | undefined => {
  const revision = Number(metadata.annotations?.[restoreAnnotations.revision] ?? Number.NaN);
  return Number.isNaN(revision) ? undefined : revision;
};
