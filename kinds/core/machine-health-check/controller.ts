import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { MachineHealthCheck } from './schema.ts';

/** The MachineHealthCheck controller: finds unhealthy Machines and asks for their remediation. */
export const machineHealthCheckController = defineController<MachineHealthCheck, Observed>({
  name: 'machine-health-check',
  for: 'MachineHealthCheck',
  worker: 'workload',
  watches: [
    { kind: 'Machine', to: 'members', level: 'count' },
    { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
    { kind: 'Cluster', to: 'members', level: 'count' },
    // A check may find a Machine healthy that another check no longer finds unhealthy.
    { kind: 'MachineHealthCheck', to: 'members' },
  ],
  clusterOf: ({ spec }) => spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
});
