/** The Secrets that a restore needs: which ones are kept with the file, and how absent ones are made again. Pure. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Plan, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { authorities, type Secret, secretName } from '../../core/contract/cluster-secrets.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import { restoreKeysAnnotation } from '../../core/contract/file-requests.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { follow } from '../../core/contract/references.ts';
import { askSnapshots } from '../../ports/index.ts';
import type { KeptSecret } from '../../ports/snapshots.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { resync } from './taking.ts';

const authorityNames = (cluster: string): string[] => authorities.map((purpose) => secretName(cluster, purpose));

/** Authorities, and what the hosts get as files, such as the keys of encryption at rest. */
export const observeSecrets = (
  read: Reader,
  cluster: KubeObject,
  controlPlanes: readonly ControlPlaneProvider[],
): KeptSecret[] => {
  const { namespace = '', name } = cluster.metadata;
  const { controlPlaneRef } = (cluster as Cluster).spec ?? {};
  const controlPlane = controlPlaneRef && found(follow(read, namespace, controlPlaneRef, 'ControlPlane'));
  const files = controlPlane ? controlPlaneQueries(controlPlane, controlPlanes).fileSecrets(controlPlane) : [];
  return [...new Set([...authorityNames(name), ...files])].flatMap((secret) => {
    const value = found(read.get<Secret>('Secret', { namespace, name: secret }));
    return value ? [{ name: secret, ...(value.type && { type: value.type }), data: value.data ?? {} }] : [];
  });
};

/** The value of the annotation that is not answered. */
const requestOf = ({ metadata, status }: EtcdSnapshot): string | undefined => {
  const request = metadata.annotations?.[restoreKeysAnnotation];
  return request !== undefined && request !== status?.keys?.request ? request : undefined;
};

/** What is kept, and what there is of it. */
export type Keys = Read<{ kept: KeptSecret; present: Read<Secret> }[] | { fault: string }>;

export const observeKeys = (read: Reader, snapshot: EtcdSnapshot): Keys | undefined => {
  const { location, phase } = snapshot.status ?? {};
  if (requestOf(snapshot) === undefined || phase !== 'Succeeded' || location === undefined) return undefined;
  const { namespace = '' } = snapshot.metadata;
  const kept = askSnapshots(read, 'Keys', { location, namespace });
  if (kept.state !== 'found') return kept;
  if ('fault' in kept.value) return { state: 'found', value: kept.value };
  const value = kept.value.secrets.map((secret) => ({
    kept: secret,
    present: read.get<Secret>('Secret', { namespace, name: secret.name }),
  }));
  return { state: 'found', value };
};

const secretOf = ({ metadata: { namespace = '' }, spec }: EtcdSnapshot, { name, type, data }: KeptSecret): Secret => {
  const cluster = spec?.clusterName ?? '';
  const isOwn = authorityNames(cluster).includes(name);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    // Its control plane becomes the owner.
    metadata: { namespace, name, ...(isOwn && { labels: { [labels.cluster]: cluster } }) },
    ...(type && { type }),
    data,
  };
};

/** Creates what is absent. What is there stays, whatever it holds. */
export const restoringKeys = (snapshot: EtcdSnapshot, keys: Keys): Plan<EtcdSnapshotStatus> => {
  const request = requestOf(snapshot) ?? '';
  const { kept } = snapshot.status?.keys ?? {};
  const answer = (more: NonNullable<EtcdSnapshotStatus['keys']>) => ({
    ...snapshot.status,
    keys: { ...(kept && { kept }), ...more },
  });
  switch (keys.state) {
    case 'unread':
      return {};
    case 'unreadable':
      return { status: answer({ message: `The keys cannot be read: ${keys.reason}` }), requeueAfter: resync };
    case 'absent':
      return { status: answer({ request, restored: [], message: 'No keys are kept with this snapshot' }) };
  }
  if ('fault' in keys.value) {
    const message = `The keys that are kept with the snapshot are damaged: ${keys.value.fault}`;
    return {
      status: answer({ request, restored: [], message }),
      events: [{ type: 'Warning', reason: 'KeysDamaged', message }],
    };
  }
  if (keys.value.some(({ present }) => present.state === 'unread')) return {};
  const absent = keys.value.filter(({ present }) => present.state === 'absent').map((one) => one.kept);
  const restored = absent.map(({ name }) => name);
  if (absent.length === 0) return { status: answer({ request, restored, message: 'No Secret was absent' }) };
  const message = `Made again from the keys that are kept with the snapshot: Secrets ${restored.join(', ')}`;
  return {
    actions: absent.map((one) => ({ do: 'create', object: secretOf(snapshot, one) })),
    status: answer({ request, restored, message }),
    events: [{ type: 'Normal', reason: 'KeysRestored', message }],
  };
};
