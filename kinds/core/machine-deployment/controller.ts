/**
 * The MachineDeployment controller: keeps one current MachineSet and moves Machines to it, by
 * rolling update or as the user deletes them.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { MachineDeployment } from './schema.ts';

export const machineDeploymentController = defineController<MachineDeployment, Observed>({
  name: 'machine-deployment',
  for: 'MachineDeployment',
  finalizer: 'cluster.x-k8s.io/machinedeployment',
  clusterOf: (deployment) => deployment.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
});
