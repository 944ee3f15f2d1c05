import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { observeSources, type Sources } from '../../bootstrap-kubeadm/kubeadm-config/sources.ts';
import { labels } from '../../common/labels.ts';
import { ownersOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import { secretName } from '../../core/contract/cluster-secrets.ts';
import { isProvisioned } from '../../core/contract/cluster-status.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { AWSManagedControlPlane } from '../aws-managed-control-plane/schema.ts';
import type { NodeadmConfig } from './schema.ts';

export interface Observed {
  config: NodeadmConfig;
  /** The Machine or MachinePool; undefined without one. */
  owner: Read<KubeObject> | undefined;
  cluster: Read<Cluster>;
  controlPlane: Read<AWSManagedControlPlane>;
  /** How the cluster is reached. */
  kubeconfig: Read<Secret>;
  dataSecret: Read<Secret>;
  sources: Sources;
}

const unread = { state: 'unread' } as const;
const controlPlaneKind = 'AWSManagedControlPlane';

export const isDone = ({ status }: NodeadmConfig): boolean => status?.initialization?.dataSecretCreated === true;

export const observe = (config: NodeadmConfig, read: Reader, { withheld }: Context): Observed => {
  const { namespace = '', name } = config.metadata;
  const reference = ownersOf(config).find(({ kind }) => kind === 'Machine' || kind === 'MachinePool');
  const clusterName = config.metadata.labels?.[labels.cluster];
  const nothing = { cluster: unread, controlPlane: unread, kubeconfig: unread, dataSecret: unread, sources: new Map() };
  if (!reference || !clusterName || isDeleting(config) || withheld) return { config, owner: undefined, ...nothing };
  const owner = read.get<KubeObject>(reference.kind, { namespace, name: reference.name });
  const dataSecret = read.get<Secret>('Secret', { namespace, name });
  // What a machine booted with stays; hosts of a pool come later, too.
  if (isDone(config) && reference.kind === 'Machine') return { config, owner, ...nothing, dataSecret };
  const cluster = read.get('Cluster', { namespace, name: clusterName });
  const it = found(cluster);
  const plane = it?.spec?.controlPlaneRef;
  const isReached = it !== undefined && isProvisioned(it) && plane?.kind === controlPlaneKind;
  return {
    config,
    owner,
    cluster,
    controlPlane: isReached
      ? read.get(controlPlaneKind, { namespace, name: plane.name })
      : cluster.state === 'unread'
        ? unread
        : { state: 'absent' },
    kubeconfig: isReached
      ? read.get<Secret>('Secret', { namespace, name: secretName(clusterName, 'kubeconfig') })
      : unread,
    dataSecret,
    sources: observeSources(read, namespace, config.spec ?? {}),
  };
};
