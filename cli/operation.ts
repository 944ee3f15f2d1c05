/** The operation of a cluster, as a client reads it. */

import { operationAnnotations } from '../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';

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

/** The phase; a new operation has none yet. */
export const phaseOf = ({ status }: ClusterOperation) => status?.phase ?? 'Pending';
