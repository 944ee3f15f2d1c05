/**
 * The MachineDeployment controller: keeps one current MachineSet and moves Machines to it, by
 * rolling update or as the user deletes them.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { templates } from '../../common/watches.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { MachineDeployment } from './schema.ts';

export const machineDeploymentController = defineController<MachineDeployment, Observed>({
  name: 'machine-deployment',
  for: 'MachineDeployment',
  worker: 'core',
  watches: [
    { kind: 'MachineSet', to: 'owner', level: 'note' },
    { kind: 'MachineSet', to: 'adopters' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    // A pool that opted in creates a deleted plan again.
    { kind: 'ScalingPlan', to: 'members' },
    ...templates,
  ],
  finalizer: 'cluster.x-k8s.io/machinedeployment',
  clusterOf: (deployment) => deployment.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
