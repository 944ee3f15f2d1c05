import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Acting, acting } from '../identity/acting.ts';
import { awsMachineFinalizer } from './controller-names.ts';
import { launchOf } from './launch.ts';
import { type Observed, observe, ownClusterOf } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { AWSMachine } from './schema.ts';

export const awsMachineController = defineController<AWSMachine, Acting<Observed>>({
  name: 'aws-machine',
  for: 'AWSMachine',
  worker: 'aws',
  swept: true,
  watches: [
    { kind: 'Machine', to: 'dependents', level: 'gate' },
    { kind: 'AWSCluster', to: 'members', level: 'count' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    { kind: 'IPAddressClaim', to: 'owner', level: 'note' },
  ],
  finalizer: awsMachineFinalizer,
  clusterOf: ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  clusterUidOf: ({ metadata }) => launchOf(metadata)?.clusterUid,
  conditions: 'v1beta1',
  ...acting((awsMachine, read) => ownClusterOf(awsMachine, read), { observe, reconcile, release }),
});
