import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Acting, acting } from '../identity/acting.ts';
import { noteOf } from './note.ts';
import { clusterNameOf, type Observed, observe, ownClusterOf } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { AWSMachinePool } from './schema.ts';

export const awsMachinePoolController = defineController<AWSMachinePool, Acting<Observed>>({
  name: 'aws-machine-pool',
  for: 'AWSMachinePool',
  worker: 'aws',
  // Its own notes need no further pass.
  level: 'count',
  watches: [
    { kind: 'MachinePool', to: 'dependents', level: 'gate' },
    { kind: 'AWSMachine', to: 'owner', level: 'note' },
    { kind: 'AWSCluster', to: 'members', level: 'count' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    // The bootstrap data is renewed in the same Secret.
    { kind: 'Secret', to: 'members', level: 'note' },
  ],
  finalizer: 'awsmachinepool.infrastructure.cluster.x-k8s.io',
  clusterOf: clusterNameOf,
  clusterUidOf: (pool) => noteOf(pool)?.clusterUid,
  conditions: 'v1beta1',
  ...acting(ownClusterOf, { observe, reconcile, release }),
});
