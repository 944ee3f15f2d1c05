/**
 * The MachineDeployment controller: keeps one current MachineSet and moves Machines to it, by
 * rolling update or as the user deletes them.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { decisive, directed, later, messageOnly, soon, specified, templates } from '../../common/watches.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { MachineDeployment } from './schema.ts';

export const machineDeploymentController = defineController<MachineDeployment, Observed>({
  name: 'machine-deployment',
  for: 'MachineDeployment',
  worker: 'core',
  watches: [
    { kind: 'MachineSet', to: 'owner', on: ['created', 'spec'], by: 'others' },
    { kind: 'MachineSet', to: 'owner', on: ['available', 'deleted'] },
    { kind: 'MachineSet', to: 'owner', on: decisive, after: soon },
    { kind: 'MachineSet', to: 'owner', after: messageOnly },
    // Waits for all sets that it selects, including those that lost their controller.
    { kind: 'MachineSet', to: 'members', on: ['created', 'deleted'], orphan: true },
    // Adopts a set whose labels a client changed, once a query finds it by these labels.
    { kind: 'MachineSet', to: 'members', on: ['labels'], by: 'clients', after: later },
    { kind: 'Cluster', to: 'members', on: directed },
    specified,
    ...templates,
  ],
  finalizer: 'cluster.x-k8s.io/machinedeployment',
  clusterOf: (deployment) => deployment.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
