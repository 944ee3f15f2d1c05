/**
 * The init lock: one Machine initializes the cluster, and a ConfigMap of a fixed name records
 * which. Creating the ConfigMap is the mutex.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { deletionOf, ownerReference } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';

const key = 'lock-information';
export const lockName = (cluster: string): string => `${cluster}-lock`;

/** The Machine that holds the lock; undefined without a lock, or if the lock names no Machine. */
export const lockedBy = (lock: KubeObject | undefined): string | undefined => {
  const data = (lock as { data?: Record<string, string> } | undefined)?.data?.[key];
  try {
    const information: unknown = JSON.parse(data ?? '{}');
    const { machineName } = information as { machineName?: unknown };
    return typeof machineName === 'string' ? machineName : undefined;
  } catch {
    return undefined;
  }
};

export const acquireLock = (cluster: Cluster, machineName: string): Action => ({
  do: 'create',
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: cluster.metadata.namespace ?? '',
      name: lockName(cluster.metadata.name),
      labels: { [labels.cluster]: cluster.metadata.name },
      ownerReferences: [ownerReference(cluster)],
    },
    data: { [key]: JSON.stringify({ machineName }) },
  },
});
export const releaseLock = (lock: KubeObject): Action => deletionOf(lock);
