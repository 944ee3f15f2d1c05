/**
 * The MachineSet controller: creates Machines from templates, adopts them, updates them in place
 * and deletes surplus ones.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { allButStatus, decisive, directed, machines, soon, specified, templates } from '../../common/watches.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { MachineSet } from './schema.ts';

export const machineSetController = defineController<MachineSet, Observed>({
  name: 'machine-set',
  for: 'MachineSet',
  worker: 'core',
  watches: [
    { kind: 'Machine', to: 'owner', on: ['created'], by: 'others' },
    { kind: 'Machine', to: 'owner', on: ['available', 'deleted'] },
    { kind: 'Machine', to: 'members', on: ['created', 'deleted'], orphan: true },
    ...machines,
    { kind: 'MachineDeployment', to: 'dependents', on: allButStatus },
    // From the status, the versions that its Machines run.
    { role: 'ControlPlane', to: 'members', on: decisive, after: soon },
    { kind: 'Cluster', to: 'members', on: directed },
    specified,
    ...templates,
    // Its annotations say which preflight checks to skip.
    { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['metadata'], after: soon },
  ],
  finalizer: 'cluster.x-k8s.io/machineset',
  clusterOf: (machineSet) => machineSet.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
