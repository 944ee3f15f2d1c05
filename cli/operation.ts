/** The operation of a cluster, as a client reads it. */

import { operationAnnotations } from '../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';

export const operationPath = (namespace: string, name: string): string =>
  `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/clusteroperations/${encodeURIComponent(name)}`;

/** The operation that the Cluster names: the running or the last one. */
export const findOperation = async (
  client: ApiClient,
  { metadata }: KubeObject,
): Promise<ClusterOperation | undefined> => {
  const name = metadata.annotations?.[operationAnnotations.operation];
  return name ? client.find<ClusterOperation>(operationPath(metadata.namespace ?? '', name)) : undefined;
};

/** Throws with the operation of the cluster if the name is that of a cluster. */
export const readOperation = async (client: ApiClient, namespace: string, name: string): Promise<ClusterOperation> => {
  const found = await client.find<ClusterOperation>(operationPath(namespace, name));
  if (found) return found;
  const cluster = await client.find<KubeObject>(
    `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/clusters/${encodeURIComponent(name)}`,
  );
  const own = cluster?.metadata.annotations?.[operationAnnotations.operation];
  const hint = own === undefined ? '' : `; the operation of Cluster ${name} is ${own}`;
  throw new CliError(`clusteroperations.capstan.dev "${name}" not found${hint}`);
};

/** The phase; a new operation has none yet. */
export const phaseOf = ({ status }: ClusterOperation) => status?.phase ?? 'Pending';
