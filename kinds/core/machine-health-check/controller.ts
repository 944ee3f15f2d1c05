import { defineController } from '../../../machinery/api/reconcile.ts';
import { allButStatus, directed, later, soon, specified } from '../../common/watches.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { MachineHealthCheck } from './schema.ts';

/** The MachineHealthCheck controller: finds unhealthy Machines and asks for their remediation. */
export const machineHealthCheckController = defineController<MachineHealthCheck, Observed>({
  name: 'machine-health-check',
  for: 'MachineHealthCheck',
  worker: 'workload',
  watches: [
    { kind: 'Machine', to: 'members', on: [...allButStatus, 'latched'], after: soon },
    { kind: 'Machine', to: 'members', on: ['facts'], after: later },
    { kind: 'WorkloadSnapshot', to: 'members', after: soon },
    { kind: 'Cluster', to: 'members', on: [...directed, 'latched'] },
    // Machines of a cluster whose infrastructure is not ready are not judged.
    { kind: 'Cluster', to: 'members', on: ['facts'], after: later },
    specified,
    // A check may find a Machine healthy that another check no longer finds unhealthy.
    { kind: 'MachineHealthCheck', to: 'members', on: ['deleted', 'metadata', 'spec'], by: 'clients', after: soon },
  ],
  clusterOf: ({ spec }) => spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
});
