/** `capstan snapshot`: takes, lists and checks etcd snapshots through the API. */

import { setTimeout as delay } from 'node:timers/promises';
import type { EtcdSnapshot } from '../kinds/capstan/etcd-snapshot/index.ts';
import { isOver, storageUnreadable } from '../kinds/capstan/etcd-snapshot/over.ts';
import { controlPlanes } from '../kinds/control-planes.ts';
import { verifyAnnotation } from '../kinds/core/contract/file-requests.ts';
import { hostedEtcd } from '../kinds/core/contract/hosted-etcd.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { isFrozen } from './installation.ts';
import { typed } from './output.ts';
import { renderTable } from './table.ts';

export interface SnapshotOptions {
  namespace?: string;
  /** Seconds. */
  timeout?: number;
  wait?: boolean;
  /** Prints what is awaited, each time that it changes. */
  report?: (line: string) => void;
}

/** Milliseconds between two reads. */
const pause = 1000;
const defaultTimeout = 600;

export const pathOf = (namespace: string, name = ''): string =>
  `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/etcdsnapshots${name && `/${encodeURIComponent(name)}`}`;

export const clusterPath = (namespace: string, name: string): string =>
  `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/clusters/${name}`;

export const readyOf = ({ status }: EtcdSnapshot) => status?.conditions?.find(({ type }) => type === 'Ready');

/** Milliseconds for which a controller may be busy before its silence is reported. */
const unseen = 5000;

/** Reads the object until `isDone`; throws with its condition after the timeout. */
export const waitFor = async (
  client: ApiClient,
  path: string,
  isDone: (snapshot: EtcdSnapshot) => boolean,
  { timeout = defaultTimeout, report = () => undefined }: Pick<SnapshotOptions, 'timeout' | 'report'>,
): Promise<EtcdSnapshot> => {
  const silence = async () =>
    (await isFrozen(client))
      ? `the installation is frozen, and no controller acts: look with  ${typed('status')}`
      : 'no controller has looked at it yet';
  const began = Date.now();
  let reported = '';
  for (const end = began + timeout * 1000; ; ) {
    const snapshot = await client.json<EtcdSnapshot>('GET', path);
    if (isDone(snapshot)) return snapshot;
    const condition = readyOf(snapshot);
    const isWell = condition?.status === 'True' && condition.reason !== storageUnreadable;
    const obstacle = isWell ? undefined : condition?.message;
    const message = obstacle || (await silence());
    const isDue = obstacle || Date.now() - began >= unseen;
    if (isDue && message !== reported) {
      report(`waiting for etcdsnapshot ${snapshot.metadata.name}: ${message}`);
      reported = message;
    }
    if (Date.now() >= end)
      throw new CliError(`etcdsnapshot ${snapshot.metadata.name} is not done after ${timeout} s: ${message}`);
    await delay(pause);
  }
};

const report = ({ metadata, status }: EtcdSnapshot): string => {
  const { size, revision, member, fileChecksum, etcdVersion } = status ?? {};
  return [
    `etcdsnapshot/${metadata.name} is complete: ${size} bytes at revision ${revision}`,
    `  etcd ${etcdVersion} on ${member}`,
    ...(fileChecksum ? [`  ${fileChecksum}`] : []),
  ].join('\n');
};

/** Returns a report. Throws if the snapshot fails. */
export const createSnapshot = async (
  client: ApiClient,
  clusterName: string,
  { namespace = client.namespace, wait = true, ...waiting }: SnapshotOptions,
): Promise<string> => {
  const cluster = await client.find<KubeObject>(clusterPath(namespace, clusterName));
  if (!cluster) throw new CliError(`clusters.cluster.x-k8s.io "${clusterName}" not found in namespace ${namespace}`);
  const hosted = hostedEtcd(cluster, controlPlanes);
  if (hosted !== undefined) throw new CliError(hosted);
  const made = await client.json<EtcdSnapshot>('POST', pathOf(namespace), {
    body: JSON.stringify({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { generateName: `${clusterName}-` },
      spec: { clusterName, reason: 'Manual' },
    }),
  });
  const { name } = made.metadata;
  if (!wait) return `etcdsnapshot/${name} created`;
  const snapshot = await waitFor(client, pathOf(namespace, name), isOver, waiting);
  if (snapshot.status?.phase !== 'Succeeded')
    throw new CliError(`etcdsnapshot ${name} failed: ${readyOf(snapshot)?.message}`);
  return report(snapshot);
};

/** The snapshots of a cluster or of all, oldest first. */
export const listSnapshots = async (
  client: ApiClient,
  clusterName: string | undefined,
  { namespace = client.namespace }: SnapshotOptions,
): Promise<string> => {
  const { items } = await client.json<{ items: EtcdSnapshot[] }>('GET', pathOf(namespace));
  const shown = items
    .filter(({ spec }) => clusterName === undefined || spec?.clusterName === clusterName)
    .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1));
  const rows = shown.map((one) => [
    one.metadata.name,
    one.spec?.clusterName ?? '',
    one.spec?.reason ?? '',
    one.status?.phase ?? 'Pending',
    readyOf(one)?.status ?? 'Unknown',
    one.status?.completedAt ?? '',
    String(one.status?.size ?? ''),
    String(one.status?.revision ?? ''),
  ]);
  const header = ['NAME', 'CLUSTER', 'REASON', 'PHASE', 'READY', 'COMPLETED', 'SIZE', 'REVISION'];
  return rows.length === 0 ? 'No resources found.' : renderTable([header, ...rows]);
};

/** Has the stored file read and checked. Returns the snapshot with the result in its status. */
export const verificationOf = async (
  client: ApiClient,
  { metadata: { namespace = client.namespace, name, uid } }: EtcdSnapshot,
  waiting: Pick<SnapshotOptions, 'timeout' | 'report'>,
  now: number,
): Promise<EtcdSnapshot> => {
  const path = pathOf(namespace, name);
  const request = new Date(now).toISOString();
  await client.json('PATCH', path, {
    body: JSON.stringify({ metadata: { uid, annotations: { [verifyAnnotation]: request } } }),
    contentType: 'application/merge-patch+json',
  });
  return waitFor(client, path, ({ status }) => status?.verification?.request === request, waiting);
};

/** Has the stored file read and checked. Throws if it cannot be restored. */
export const provenSnapshot = async (
  client: ApiClient,
  name: string,
  { namespace = client.namespace, ...waiting }: SnapshotOptions,
  now: number,
): Promise<EtcdSnapshot> => {
  const before = await client.json<EtcdSnapshot>('GET', pathOf(namespace, name));
  if (before.status?.phase !== 'Succeeded')
    throw new CliError(`etcdsnapshot ${name} is ${before.status?.phase ?? 'Pending'}: there is no file to check`);
  const snapshot = await verificationOf(client, before, waiting, now);
  const { valid, message } = snapshot.status!.verification!;
  if (!valid) throw new CliError(`etcdsnapshot ${name} cannot be restored: ${message}`);
  return snapshot;
};

/** Has the stored file read and checked. Returns what that proves; throws if the file is damaged. */
export const verifySnapshot = async (
  client: ApiClient,
  name: string,
  options: SnapshotOptions,
  now: number,
): Promise<string> => {
  const { status } = await provenSnapshot(client, name, options, now);
  const { size, revision, verification } = status!;
  return [
    `etcdsnapshot/${name} is valid: ${size} bytes, revision ${revision}, ${verification!.keys} revisions of keys up to ${verification!.revision}`,
    'Proven: the stored file is the one that was written, its SHA-256 hash matches, and every page and',
    'entry of its database is readable. Not proven: that an API server can use what the values say.',
  ].join('\n');
};
