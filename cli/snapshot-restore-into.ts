/** `capstan snapshot restore --into`: creates a cluster that begins with a snapshot of another one. */
import type { EtcdSnapshot } from '../kinds/capstan/etcd-snapshot/index.ts';
import { originAnnotations } from '../kinds/core/contract/origin.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { createMissing, objectsIn } from './apply.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { typed } from './output.ts';
import { clusterPath, pathOf, provenSnapshot, type SnapshotOptions } from './snapshot.ts';

export interface IntoOptions extends SnapshotOptions {
  /** The Cluster to create. */
  into?: string;
  filename?: string;
  without?: string;
}

const readManifest = (path: string): KubeObject[] => {
  try {
    return objectsIn(path);
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${(error as Error).message}`, 1, { cause: error });
  }
};

const begins = (object: KubeObject, snapshot: string, without: string | undefined): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      ...object.metadata.annotations,
      [originAnnotations.restoreFrom]: snapshot,
      ...(without !== undefined && { [originAnnotations.restoreWithout]: without }),
    },
  },
});

/** Returns a report. Throws if the manifest has no such Cluster, or there is one already. */
export const restoreInto = async (
  client: ApiClient,
  snapshot: string,
  { namespace = client.namespace, into: name = '', filename, without, ...waiting }: IntoOptions,
  now = Date.now(),
): Promise<string> => {
  if (filename === undefined)
    throw new CliError(`name the manifest of Cluster ${name} with -f FILE: its own endpoint and machines are in it`);
  const found = await client.find<EtcdSnapshot>(pathOf(namespace, snapshot));
  if (!found)
    throw new CliError(
      `etcdsnapshots.capstan.dev "${snapshot}" not found in namespace ${namespace}; "${typed('snapshot list')}" shows what there is`,
    );
  const objects = readManifest(filename);
  const isIt = ({ kind, metadata }: KubeObject) =>
    kind === 'Cluster' && metadata.name === name && (metadata.namespace ?? client.namespace) === namespace;
  if (!objects.some(isIt))
    throw new CliError(`${filename} has no Cluster ${name} in namespace ${namespace}, where the snapshot is`);
  if (await client.find(clusterPath(namespace, name)))
    throw new CliError(`Cluster ${name} exists already: a cluster begins with a snapshot only when it is created`);
  await provenSnapshot(client, snapshot, { namespace, ...waiting }, now);
  const created = await createMissing(
    client,
    objects.map((object) => (isIt(object) ? begins(object, snapshot, without) : object)),
  );
  return [
    ...created.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name} created`),
    `Cluster ${name} begins with the state of ${found.status?.completedAt ?? 'the snapshot'} of ${found.spec?.clusterName} (EtcdSnapshot ${snapshot}).`,
    `Follow it with: capstan describe cluster ${name} -n ${namespace} -w`,
  ].join('\n');
};
