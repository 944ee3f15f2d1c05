import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import type { KubeadmControlPlane } from './index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

export const kubeadmControlPlaneController = defineController<KubeadmControlPlane, Observed>({
  name: 'kubeadm-control-plane',
  for: 'KubeadmControlPlane',
  finalizer: 'kubeadm.controlplane.cluster.x-k8s.io',
  clusterOf: ({ metadata }) => metadata.labels?.[labels.cluster],
  conditions: 'v1beta2',
  observe,
  reconcile,
});
