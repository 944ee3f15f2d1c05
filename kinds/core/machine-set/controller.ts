/** Keeps the number of Machines: makes them from templates, adopts, updates in place, and removes what is too many. */
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
