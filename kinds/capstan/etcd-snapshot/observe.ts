import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import { type Offer, observeOffer } from '../../core/contract/download.ts';
import { verifyAnnotation } from '../../core/contract/file-requests.ts';
import { hostedEtcd } from '../../core/contract/hosted-etcd.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { askSnapshots } from '../../ports/index.ts';
import type { DamagedSnapshot, DeletedSnapshot, KeptSecret, SnapshotCheck } from '../../ports/snapshots.ts';
import { type Alternatives, observeAlternatives } from './alternatives.ts';
import { downloadOf } from './download.ts';
import { type Keys, observeKeys, observeSecrets } from './keys.ts';
import { isOver } from './over.ts';
import type { EtcdSnapshot } from './schema.ts';
import { observeSource, type Source, type Waiting } from './source.ts';
import { isDamage } from './taking.ts';

export interface Observed {
  snapshot: EtcdSnapshot;
  cluster: Read<KubeObject>;
  /** Present when the file is read: after it was written, and when a user asks for it. */
  check?: Read<SnapshotCheck>;
  /** Present while the file is offered for download, or is to be. */
  offer?: Offer;
  /** Present while it is asked for the keys that are kept with it. */
  keys?: Keys;
  /** Why its cluster has no etcd that could be read. */
  hosted?: string;
  /** Present while there is no complete file. */
  source?: Source | Waiting;
  /** Beside it: what a restore needs. */
  secrets?: KeptSecret[];
  /** Present instead of it for a copy: the snapshot to copy. */
  original?: Read<EtcdSnapshot>;
  /** Present instead of it for one that brings a deleted one back: what is kept of that. */
  deleted?: Read<DeletedSnapshot | DamagedSnapshot>;
  /** Present if that is damaged: the other snapshots of the Cluster. */
  alternatives?: Alternatives;
}

/** The value of the annotation that no check has answered yet. */
export const requestedCheck = ({ metadata, status }: EtcdSnapshot): string | undefined => {
  const request = metadata.annotations?.[verifyAnnotation];
  return request !== undefined && request !== status?.verification?.request ? request : undefined;
};

export const observe = (
  snapshot: EtcdSnapshot,
  read: Reader,
  { now, attempts, lastFailure, installation }: Context,
  controlPlanes: readonly ControlPlaneProvider[],
): Observed => {
  const { namespace = '' } = snapshot.metadata;
  const { clusterName = '' } = snapshot.spec ?? {};
  const cluster = read.get<KubeObject>('Cluster', { namespace, name: clusterName });
  const { phase, location } = snapshot.status ?? {};
  if (isDeleting(snapshot)) return { snapshot, cluster };
  const ask = () => (location === undefined ? undefined : askSnapshots(read, 'Check', { location }));
  if (isOver(snapshot)) {
    const check = phase === 'Succeeded' && requestedCheck(snapshot) !== undefined ? ask() : undefined;
    const offer = observeOffer(downloadOf(snapshot), read);
    const keys = observeKeys(read, snapshot);
    return { snapshot, cluster, ...(check && { check }), ...(offer && { offer }), ...(keys && { keys }) };
  }
  const check = ask();
  const instead = (isDamaged: boolean) =>
    snapshot.spec?.recover && isDamaged ? { alternatives: observeAlternatives(snapshot, read, installation) } : {};
  if (check && check.state !== 'absent')
    return { snapshot, cluster, check, ...instead(found(check)?.fault !== undefined) };
  if (snapshot.spec?.recover) {
    const deleted = askSnapshots(read, 'GetDeleted', { location: snapshot.spec.recover.location });
    const value = found(deleted);
    const isDamaged = isDamage(lastFailure) || (value !== undefined && 'fault' in value);
    return { snapshot, cluster, ...(check && { check }), deleted, ...instead(isDamaged) };
  }
  if (snapshot.spec?.source) {
    const original = read.get('EtcdSnapshot', { namespace, name: snapshot.spec.source.name });
    return { snapshot, cluster, ...(check && { check }), original };
  }
  const hosted = cluster.state === 'found' ? hostedEtcd(cluster.value, controlPlanes) : undefined;
  if (hosted !== undefined) return { snapshot, cluster, hosted };
  const source = cluster.state === 'found' ? observeSource(read, cluster.value, { now, attempts }) : undefined;
  const secrets = cluster.state === 'found' ? observeSecrets(read, cluster.value, controlPlanes) : [];
  return { snapshot, cluster, ...(check && { check }), ...(source && { source }), secrets };
};
