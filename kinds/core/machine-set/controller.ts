/**
 * The MachineSet controller: creates Machines from templates, adopts them, updates them in place
 * and deletes surplus ones.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { templates } from '../../common/watches.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { MachineSet } from './schema.ts';

export const machineSetController = defineController<MachineSet, Observed>({
  name: 'machine-set',
  for: 'MachineSet',
  worker: 'core',
  watches: [
    { kind: 'Machine', to: 'owner', level: 'note' },
    { kind: 'Machine', to: 'adopters' },
    { kind: 'MachineDeployment', to: 'dependents', level: 'gate' },
    // From the status, the versions that its Machines run.
    { role: 'ControlPlane', to: 'members', level: 'count' },
    { kind: 'Cluster', to: 'members' },
    ...templates,
  ],
  finalizer: 'cluster.x-k8s.io/machineset',
  clusterOf: (machineSet) => machineSet.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
