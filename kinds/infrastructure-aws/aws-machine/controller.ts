import { defineController } from '../../../machinery/api/reconcile.ts';
import { awsMachineFinalizer } from './controller-names.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { AWSMachine } from './schema.ts';

export const awsMachineController = defineController<AWSMachine, Snapshot>({
  name: 'aws-machine',
  for: 'AWSMachine',
  finalizer: awsMachineFinalizer,
  clusterOf: ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  conditions: 'v1beta1',
  observe,
  reconcile,
});
