import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { templates } from '../../common/watches.ts';
import type { KubeadmControlPlane } from './index.ts';
import { clusterNameOf, type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';

export const kubeadmControlPlaneController = defineController<KubeadmControlPlane, Observed>({
  name: 'kubeadm-control-plane',
  for: 'KubeadmControlPlane',
  worker: 'workload',
  watches: [
    { kind: 'Machine', to: 'owner', level: 'note' },
    // During its deletion it waits for all other Machines.
    { kind: 'Machine', to: 'members' },
    { kind: 'Secret', to: 'owner', level: 'note' },
    // Secrets of the user have no owner: an authority may be damaged, and in place of a removed
    // kubeconfig the control plane creates one.
    { kind: 'Secret', to: 'referrers' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
    ...templates,
  ],
  finalizer: 'kubeadm.controlplane.cluster.x-k8s.io',
  clusterOf: (kcp) => clusterNameOf(kcp) ?? kcp.metadata.labels?.[labels.cluster],
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
