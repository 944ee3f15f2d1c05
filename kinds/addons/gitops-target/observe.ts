import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { askWorkload } from '../../ports/index.ts';
import { WorkloadError } from '../../ports/workload.ts';
import type { GitOpsTarget } from './schema.ts';
import { namespaceIn, secretNameOf, secretOf } from './secrets.ts';

/** One selected cluster: its Secret as it is to be, and as it is in the target. */
export interface Selected {
  cluster: Cluster;
  wanted: KubeObject | { fault: string } | 'waits';
  live: Read<KubeObject>;
}

export interface Observed {
  target: GitOpsTarget;
  /** Of the cluster in which the tool runs, or why there is none. */
  access: { kubeconfig: string } | { fault: string } | 'unread';
  /** Undefined while the Clusters are unread. */
  selected: Selected[] | undefined;
}

const kubeconfigIn = (secret: KubeObject | undefined): string | undefined => {
  const value = (secret?.data as { value?: string } | undefined)?.value;
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
};

const accessOf = ({ metadata, spec }: GitOpsTarget, read: Reader): Observed['access'] => {
  const { namespace = '' } = metadata;
  const name = spec?.kubeconfig.secretName ?? '';
  const secret = read.get('Secret', { namespace, name });
  if (secret.state === 'unread') return 'unread';
  const kubeconfig = kubeconfigIn(found(secret));
  if (kubeconfig !== undefined) return { kubeconfig };
  return { fault: found(secret) ? `Secret ${name} has no key value` : `Secret ${name} does not exist` };
};

const wantedOf = (cluster: Cluster, { spec }: GitOpsTarget, read: Reader): Selected['wanted'] => {
  const { namespace = '', name } = cluster.metadata;
  const secret = read.get('Secret', { namespace, name: `${name}-kubeconfig` });
  const kubeconfig = kubeconfigIn(found(secret));
  if (kubeconfig === undefined || cluster.status?.initialization?.controlPlaneInitialized !== true) return 'waits';
  try {
    return secretOf(cluster, kubeconfig, spec!);
  } catch (error) {
    if (error instanceof WorkloadError) return { fault: error.message };
    throw error;
  }
};

export const observe = (target: GitOpsTarget, read: Reader, _: Context): Observed => {
  const { namespace = '' } = target.metadata;
  const access = accessOf(target, read);
  const { clusterSelector } = target.spec ?? {};
  if (target.metadata.deletionTimestamp || !clusterSelector) return { target, access, selected: [] };
  const clusters = found(read.list('Cluster', { namespace, labels: clusterSelector }));
  const none: Read<KubeObject> = { state: 'absent' };
  const selected = clusters
    ?.filter((cluster) => !isDeleting(cluster))
    .map((cluster): Selected => {
      const wanted = wantedOf(cluster, target, read);
      const isKnown = typeof access === 'object' && 'kubeconfig' in access && wanted !== 'waits';
      const at = { namespace: namespaceIn(target.spec!), name: secretNameOf(cluster) };
      const live: Read<KubeObject> = isKnown
        ? askWorkload(read, 'get', { kubeconfig: access.kubeconfig, apiVersion: 'v1', kind: 'Secret', ...at })
        : none;
      return { cluster, wanted, live };
    });
  return { target, access, selected };
};
