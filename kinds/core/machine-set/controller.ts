/**
 * The MachineSet controller: creates Machines from templates, adopts them, updates them in place
 * and deletes surplus ones.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { MachineSet } from './schema.ts';

export const machineSetController = defineController<MachineSet, Observed>({
  name: 'machine-set',
  for: 'MachineSet',
  finalizer: 'cluster.x-k8s.io/machineset',
  clusterOf: (machineSet) => machineSet.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
});
