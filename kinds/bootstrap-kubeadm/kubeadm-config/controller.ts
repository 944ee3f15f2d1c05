import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import type { KubeadmConfig } from './index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

export const kubeadmConfigController = defineController<KubeadmConfig, Observed>({
  name: 'kubeadm-config',
  for: 'KubeadmConfig',
  clusterOf: ({ metadata }) => metadata.labels?.[labels.cluster],
  conditions: 'v1beta2',
  observe,
  reconcile,
});
