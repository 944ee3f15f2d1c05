import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { askWorkload } from '../../ports/index.ts';
import { WorkloadError } from '../../ports/workload.ts';
import type { GitOpsTarget, Registered } from './schema.ts';
import { namespaceIn, secretNameOf, secretOf } from './secrets.ts';

/** One selected cluster: its Secret as it is to be, and as it is in the target. */
export interface Selected {
  cluster: Cluster;
  wanted: KubeObject | { fault: string } | 'waits';
  live: Read<KubeObject>;
}

/** A Secret that is to go, as it is in the target. */
export interface Left extends Registered {
  live: Read<KubeObject>;
}

export interface Observed {
  target: GitOpsTarget;
  /** Of the cluster in which the tool runs, or why there is none. */
  access: { kubeconfig: string } | { fault: string } | 'unread';
  /** Undefined while the Clusters are unread. */
  selected: Selected[] | undefined;
  /** What is recorded, but not selected any more. */
  left: Left[];
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

const wantedOf = (cluster: Cluster, target: GitOpsTarget, read: Reader): Selected['wanted'] => {
  const { namespace = '', name } = cluster.metadata;
  const secret = read.get('Secret', { namespace, name: `${name}-kubeconfig` });
  const kubeconfig = kubeconfigIn(found(secret));
  if (kubeconfig === undefined || cluster.status?.initialization?.controlPlaneInitialized !== true) return 'waits';
  try {
    return secretOf(cluster, kubeconfig, target);
  } catch (error) {
    if (error instanceof WorkloadError) return { fault: error.message };
    throw error;
  }
};

const none: Read<KubeObject> = { state: 'absent' };

export const observe = (target: GitOpsTarget, read: Reader, _: Context): Observed => {
  const { namespace = '' } = target.metadata;
  const access = accessOf(target, read);
  const liveOf = (name: string): Read<KubeObject> =>
    typeof access === 'object' && 'kubeconfig' in access
      ? askWorkload(read, 'get', {
          kubeconfig: access.kubeconfig,
          apiVersion: 'v1',
          kind: 'Secret',
          namespace: namespaceIn(target.spec!),
          name,
        })
      : none;
  const { clusterSelector } = target.spec ?? {};
  const selects = !target.metadata.deletionTimestamp && clusterSelector;
  const clusters = selects ? found(read.list('Cluster', { namespace, labels: clusterSelector })) : [];
  const selected = clusters
    ?.filter((cluster) => !isDeleting(cluster))
    .map((cluster): Selected => {
      const wanted = wantedOf(cluster, target, read);
      return { cluster, wanted, live: wanted === 'waits' ? none : liveOf(secretNameOf(cluster)) };
    });
  const left = selected
    ? (target.status?.clusters ?? [])
        .filter(({ name }) => !selected.some(({ cluster }) => cluster.metadata.name === name))
        .map((one): Left => ({ ...one, live: liveOf(one.secret) }))
    : [];
  return { target, access, selected, left };
};
