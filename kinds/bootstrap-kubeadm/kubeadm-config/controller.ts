import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import type { KubeadmConfig } from './index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';

export const kubeadmConfigController = defineController<KubeadmConfig, Observed>({
  name: 'kubeadm-config',
  for: 'KubeadmConfig',
  worker: 'workload',
  watches: [
    { kind: 'Machine', to: 'dependents', level: 'gate' },
    { kind: 'MachinePool', to: 'dependents', level: 'gate' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    { kind: 'Secret', to: 'members', level: 'note' },
  ],
  clusterOf: ({ metadata }) => metadata.labels?.[labels.cluster],
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
