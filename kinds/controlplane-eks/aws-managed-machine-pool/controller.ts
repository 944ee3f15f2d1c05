import { defineController } from '../../../machinery/api/reconcile.ts';
import { noteOf } from './note.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { AWSManagedMachinePool } from './schema.ts';

export const awsManagedMachinePoolController = defineController<AWSManagedMachinePool, Observed>({
  name: 'aws-managed-machine-pool',
  for: 'AWSManagedMachinePool',
  worker: 'aws',
  watches: [
    { kind: 'MachinePool', to: 'dependents', level: 'gate' },
    { kind: 'AWSManagedControlPlane', to: 'members', level: 'gate' },
  ],
  finalizer: 'awsmanagedmachinepools.infrastructure.cluster.x-k8s.io',
  clusterOf: ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  clusterUidOf: (pool) => noteOf(pool)?.clusterUid,
  conditions: 'v1beta1',
  observe,
  reconcile,
  release,
});
