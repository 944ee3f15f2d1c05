import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { directed, existence, soon } from '../../common/watches.ts';
import type { KubeadmConfig } from './index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';

export const kubeadmConfigController = defineController<KubeadmConfig, Observed>({
  name: 'kubeadm-config',
  for: 'KubeadmConfig',
  worker: 'workload',
  afterCreation: soon,
  watches: [
    { kind: 'Machine', to: 'dependents', on: [...existence, 'metadata'] },
    // Controllers fill in the providerID, which bootstrap data does not use. A join matters only
    // when the token expires.
    { kind: 'Machine', to: 'dependents', on: ['spec'], by: 'clients' },
    { kind: 'Machine', to: 'dependents', on: ['latched'], after: 60 },
    { kind: 'Cluster', to: 'members', on: [...directed, 'spec', 'latched'] },
    // Not the Secrets with bootstrap data, which this controller creates for each of its objects.
    { kind: 'Secret', to: 'members', on: ['created'], by: 'others', after: soon },
    { kind: 'Secret', to: 'owner', on: ['labels', 'metadata'], by: 'others', after: soon },
  ],
  clusterOf: ({ metadata }) => metadata.labels?.[labels.cluster],
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
