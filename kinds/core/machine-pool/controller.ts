/**
 * The MachinePool controller: passes the bootstrap data on to the pool's infrastructure, follows its hosts
 * to ready Nodes, and deletes it step by step.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { MachinePool } from './schema.ts';

export const machinePoolController = defineController<MachinePool, Observed>({
  name: 'machine-pool',
  for: 'MachinePool',
  worker: 'workload',
  watches: [
    { role: 'InfrastructureMachinePool', to: 'owner', level: 'note' },
    { role: 'InfrastructureMachinePool', to: 'referrers' },
    { role: 'BootstrapConfig', to: 'owner', level: 'note' },
    { role: 'BootstrapConfig', to: 'referrers' },
    { kind: 'Machine', to: 'owner', level: 'note' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
    { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
  ],
  finalizer: 'machinepool.cluster.x-k8s.io',
  clusterOf: (pool) => pool.spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
