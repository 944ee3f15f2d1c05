/** `capstan snapshot list --deleted` and `recover`: deleted snapshots, while the storage keeps them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EtcdSnapshot } from '../kinds/capstan/etcd-snapshot/index.ts';
import { isOver } from '../kinds/capstan/etcd-snapshot/over.ts';
import type { SnapshotListRequest, SnapshotListRequestStatus } from '../kinds/capstan/snapshot-list-request/index.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { typed } from './output.ts';
import { clusterPath, pathOf, readyOf, type SnapshotOptions, waitFor } from './snapshot.ts';
import { renderTable } from './table.ts';

type Status = SnapshotListRequestStatus;
type Deleted = NonNullable<Status['snapshots']>[number];

/** Milliseconds between two reads. */
const pause = 500;
const defaultTimeout = 120;

/** Returns what is kept, the last deleted first. */
const ask = async (
  client: ApiClient,
  clusterName: string | undefined,
  { namespace = client.namespace, timeout = defaultTimeout }: SnapshotOptions,
): Promise<Status> => {
  const path = `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/snapshotlistrequests`;
  const name = `list-${randomUUID()}`;
  const object: SnapshotListRequest = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'SnapshotListRequest',
    metadata: { name },
    spec: clusterName === undefined ? {} : { clusterName },
  };
  await client.json('POST', path, { body: JSON.stringify(object) });
  try {
    for (const end = Date.now() + timeout * 1000; ; await delay(pause)) {
      const { status = {} } = await client.json<SnapshotListRequest>('GET', `${path}/${name}`);
      if (status.time !== undefined) return status;
      if (Date.now() >= end)
        throw new CliError(
          `the storage of snapshots was not asked within ${timeout} s: ${status.message ?? 'no controller has looked yet'}`,
        );
    }
  } finally {
    await client.json('DELETE', `${path}/${name}`);
  }
};

const rowOf = (one: Deleted): string[] => [
  one.name,
  one.clusterName,
  one.startedAt,
  one.deletedAt,
  one.keptUntil,
  String(one.size ?? ''),
  String(one.revision ?? ''),
];

export const listDeletedSnapshots = async (
  client: ApiClient,
  clusterName: string | undefined,
  options: SnapshotOptions,
): Promise<string> => {
  const { snapshots = [], omitted = 0 } = await ask(client, clusterName, options);
  if (snapshots.length === 0) return 'No deleted snapshots are kept.';
  const header = ['NAME', 'CLUSTER', 'TAKEN', 'DELETED', 'KEPT UNTIL', 'SIZE', 'REVISION'];
  const more = omitted > 0 ? [`and ${omitted} that were deleted earlier; name their cluster to see more`] : [];
  return [renderTable([header, ...snapshots.map(rowOf)]), ...more].join('\n');
};

export interface RecoverOptions extends SnapshotOptions {
  /** The key of the deleted file, where several snapshots had the name. */
  location?: string;
  /** The name of the EtcdSnapshot; that of the deleted one by default. */
  as?: string;
}

const choose = (name: string, kept: readonly Deleted[], location: string | undefined): Deleted => {
  const named = kept.filter((one) => one.name === name && (location === undefined || one.location === location));
  const [first, ...others] = named;
  if (!first)
    throw new CliError(`nothing is kept of a snapshot ${name}: look with  ${typed('snapshot list --deleted')}`);
  if (others.length === 0) return first;
  const choices = named.map(
    (one) => `  --location ${one.location}  (of ${one.clusterName}, taken ${one.startedAt}, deleted ${one.deletedAt})`,
  );
  throw new CliError([`${named.length} deleted snapshots had the name ${name}; choose one:`, ...choices].join('\n'));
};

/** Frees the name, which a later attempt needs. */
const discard = async (client: ApiClient, { metadata: { namespace, name, uid } }: EtcdSnapshot): Promise<void> => {
  const path = pathOf(namespace ?? client.namespace, name);
  await client.request('DELETE', path, { body: JSON.stringify({ preconditions: { uid } }) });
  for (const end = Date.now() + defaultTimeout * 1000; Date.now() < end; await delay(pause)) {
    const left = await client.find<EtcdSnapshot>(path);
    if (left?.metadata.uid !== uid) return;
  }
};

/** An earlier attempt under this name goes on, unless it has failed or was one at another file. */
const begin = async (client: ApiClient, namespace: string, name: string, kept: Deleted): Promise<void> => {
  const before = await client.find<EtcdSnapshot>(pathOf(namespace, name));
  const isRecovery = before?.spec?.recover !== undefined;
  const isFailed = isRecovery && before.status?.phase === 'Failed';
  if (isFailed) await discard(client, before);
  else if (isRecovery && before.spec?.recover?.location === kept.location) return;
  await client.json('POST', pathOf(namespace), {
    body: JSON.stringify({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { name },
      spec: { clusterName: kept.clusterName, recover: { location: kept.location } },
    } satisfies EtcdSnapshot),
  });
};

/** Returns a report. Throws if nothing is kept, or if what is kept is damaged. */
export const recoverSnapshot = async (
  client: ApiClient,
  name: string,
  { location, as = name, ...options }: RecoverOptions,
): Promise<string> => {
  const { namespace = client.namespace } = options;
  const { snapshots = [] } = await ask(client, undefined, options);
  const kept = choose(name, snapshots, location);
  await begin(client, namespace, as, kept);
  const snapshot = await waitFor(client, pathOf(namespace, as), isOver, options);
  const { status } = snapshot;
  if (status?.phase !== 'Succeeded') {
    await discard(client, snapshot);
    throw new CliError(`etcdsnapshot ${as} could not be recovered: ${readyOf(snapshot)?.message}`);
  }
  const cluster = await client.find<KubeObject>(clusterPath(namespace, kept.clusterName));
  const isOfPresent = cluster !== undefined && cluster.metadata.uid === kept.clusterUID;
  return [
    `etcdsnapshot/${as} is recovered and valid: ${status.size} bytes at revision ${status.revision}, taken ${status.startedAt}`,
    ...(isOfPresent ? [`To return Cluster ${kept.clusterName} to it:  ${typed(`snapshot restore ${as}`)}`] : []),
    `To create a cluster that begins with it:  ${typed(`snapshot restore ${as} --into NEW -f FILE`)}`,
  ].join('\n');
};
