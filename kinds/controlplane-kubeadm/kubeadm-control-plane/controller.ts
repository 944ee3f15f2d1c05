import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { directed, machines, templates } from '../../common/watches.ts';
import type { KubeadmControlPlane } from './index.ts';
import { clusterNameOf, type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';

export const kubeadmControlPlaneController = defineController<KubeadmControlPlane, Observed>({
  name: 'kubeadm-control-plane',
  for: 'KubeadmControlPlane',
  worker: 'workload',
  watches: [
    { kind: 'Machine', to: 'owner', on: ['created', 'deleted', 'deleting'] },
    // Its own Machines wake it as their owner; users create the others.
    { kind: 'Machine', to: 'members', on: ['created'], by: 'clients' },
    // During its deletion it waits for all other Machines.
    { kind: 'Machine', to: 'members', on: ['deleted'] },
    ...machines,
    { kind: 'Secret', to: 'owner' },
    // If a user removes a kubeconfig that the user supplied, which has no owner, the control
    // plane creates one.
    { kind: 'Secret', to: 'referrers', on: ['deleted'], by: 'clients' },
    { kind: 'Cluster', to: 'members', on: [...directed, 'latched'] },
    // Waits for the endpoint, and writes it into the kubeconfig.
    { kind: 'Cluster', to: 'members', on: ['spec'] },
    { kind: 'WorkloadSnapshot', to: 'members' },
    ...templates,
  ],
  finalizer: 'kubeadm.controlplane.cluster.x-k8s.io',
  clusterOf: (kcp) => clusterNameOf(kcp) ?? kcp.metadata.labels?.[labels.cluster],
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
