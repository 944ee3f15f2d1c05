import { defineController } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { NodeadmConfig } from './schema.ts';

export const nodeadmConfigController = defineController<NodeadmConfig, Observed>({
  name: 'nodeadm-config',
  for: 'NodeadmConfig',
  worker: 'workload',
  watches: [
    { kind: 'Machine', to: 'dependents', level: 'gate' },
    { kind: 'MachinePool', to: 'dependents', level: 'gate' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    { kind: 'AWSManagedControlPlane', to: 'members', level: 'gate' },
  ],
  clusterOf: ({ metadata }) => metadata.labels?.[labels.cluster],
  conditions: 'v1beta1',
  observe,
  reconcile,
  release,
});
