import { defineController } from '../../../machinery/api/reconcile.ts';
import { admitting, allButStatus, latches, soon, specified } from '../../common/watches.ts';
import { awsMachineFinalizer } from './controller-names.ts';
import { launchOf } from './launch.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { AWSMachine } from './schema.ts';

export const awsMachineController = defineController<AWSMachine, Snapshot>({
  name: 'aws-machine',
  for: 'AWSMachine',
  worker: 'aws',
  swept: true,
  afterCreation: soon,
  watches: [
    { kind: 'Machine', to: 'dependents', on: latches },
    { kind: 'AWSCluster', to: 'members', on: allButStatus },
    { kind: 'AWSCluster', to: 'members', on: ['facts'], after: soon },
    { kind: 'Cluster', to: 'members', on: [...admitting, 'latched'] },
    specified,
  ],
  finalizer: awsMachineFinalizer,
  clusterOf: ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  clusterUidOf: ({ metadata }) => launchOf(metadata)?.clusterUid,
  conditions: 'v1beta1',
  observe,
  reconcile,
  release,
});
