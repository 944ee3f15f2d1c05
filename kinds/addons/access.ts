/** Access to the API of a workload cluster. Pure. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { found, type Reader } from '../../machinery/api/reconcile.ts';
import { snapshotOf } from '../core/contract/workload-snapshot.ts';

export interface ClusterAccess {
  /** Absent until the cluster's API answers. */
  kubeconfig?: string;
  /** The version that its API reported last. */
  version?: string;
  /** The cluster's API answers, but its kubeconfig Secret does not exist. */
  lacksKubeconfig?: true;
}

export const accessTo = (cluster: KubeObject, read: Reader): ClusterAccess => {
  const { namespace = '', name } = cluster.metadata;
  const snapshot = snapshotOf(read, { namespace, name }, cluster);
  const secret = read.get('Secret', { namespace, name: `${name}-kubeconfig` });
  if (!snapshot?.reachable) return {};
  const { version } = snapshot;
  const value = (found(secret)?.data as { value?: string } | undefined)?.value;
  return value === undefined
    ? { lacksKubeconfig: true }
    : { kubeconfig: Buffer.from(value, 'base64').toString('utf8'), ...(version && { version }) };
};
