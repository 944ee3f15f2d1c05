/**
 * The Cluster controller: owns a cluster's parts, passes the endpoint on, aggregates their status
 * and deletes them in order.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { allButStatus, aside, counted, later, messageOnly, progress, seldom, soon } from '../../common/watches.ts';
import { clusterFinalizer, operationsFinalizer } from '../contract/finalizers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { Cluster } from './schema.ts';

export const clusterController = defineController<Cluster, Observed>({
  name: 'cluster',
  for: 'Cluster',
  worker: 'core',
  watches: [
    { role: 'InfrastructureCluster', to: 'owner', on: ['created', 'deleted', 'verdict'] },
    { role: 'InfrastructureCluster', to: 'owner', on: progress, after: aside },
    { role: 'InfrastructureCluster', to: 'owner', on: ['metadata'], by: 'clients', after: aside },
    { role: 'InfrastructureCluster', to: 'owner', on: ['status'], after: messageOnly },
    { role: 'InfrastructureCluster', to: 'referrers', on: ['created'] },
    { role: 'ControlPlane', to: 'owner', on: ['created', 'deleted', 'latched'] },
    { role: 'ControlPlane', to: 'owner', on: progress, after: soon },
    { role: 'ControlPlane', to: 'owner', on: ['metadata'], by: 'clients', after: aside },
    { role: 'ControlPlane', to: 'owner', on: ['status'], after: messageOnly },
    { role: 'ControlPlane', to: 'referrers', on: ['created'] },
    { kind: 'MachineDeployment', to: 'cluster', on: ['deleted'] },
    { kind: 'MachineDeployment', to: 'cluster', on: counted, after: soon },
    { kind: 'MachineDeployment', to: 'cluster', on: ['metadata'], by: 'clients', after: aside },
    { kind: 'MachineDeployment', to: 'cluster', on: ['status'], after: messageOnly },
    { kind: 'MachineSet', to: 'cluster', on: ['deleted'] },
    { kind: 'MachineSet', to: 'cluster', on: counted, after: later },
    { kind: 'MachineSet', to: 'cluster', after: messageOnly },
    { kind: 'Machine', to: 'cluster', on: allButStatus, after: aside },
    { kind: 'Machine', to: 'cluster', on: ['verdict', 'latched'], after: seldom },
    { kind: 'Machine', to: 'cluster', after: messageOnly },
    { kind: 'WorkloadSnapshot', to: 'cluster', whole: true, after: later },
    { kind: 'ClusterOperation', to: 'owner', on: ['created', 'verdict', 'deleted'], after: later },
    { kind: 'ClusterOperation', to: 'owner', on: ['status'], after: messageOnly },
  ],
  finalizer: clusterFinalizer,
  // The operation starter keeps the Cluster until an operation proves that nothing is left.
  keptFor: ({ workflows }) => (workflows === true ? [operationsFinalizer] : []),
  clusterOf: (cluster) => cluster.metadata.name,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release,
});
