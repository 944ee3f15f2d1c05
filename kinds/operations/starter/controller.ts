import { defineController } from '../../../machinery/api/reconcile.ts';
import { allButStatus, existence, soon } from '../../common/watches.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { clusterFinalizer, operationsFinalizer } from '../../core/contract/finalizers.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The operation starter: begins a Cluster's operations. Its finalizer keeps the Cluster until an
 * operation proves that nothing is left.
 */
export const operationStarter = ({ controlPlanes }: Pick<Providers, 'controlPlanes'>) =>
  defineController<Cluster, Snapshot>({
    name: 'operation-starter',
    for: 'Cluster',
    worker: 'core',
    // An annotation notes that the cluster was Available.
    on: [...existence, 'metadata'],
    watches: [
      { kind: 'Cluster', to: 'cluster', on: ['spec'], by: 'clients' },
      { role: 'InfrastructureCluster', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { role: 'InfrastructureCluster', to: 'referrers', on: ['created'] },
      { role: 'ControlPlane', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { role: 'ControlPlane', to: 'referrers', on: ['created'] },
      { kind: 'MachineDeployment', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { kind: 'MachineDeployment', to: 'cluster', on: ['deleting', 'deleted'], after: soon },
      { kind: 'MachineSet', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { kind: 'MachineSet', to: 'cluster', on: ['deleting', 'deleted'], after: soon },
      // Machines are outdated once their owner has counted them, or because of their age.
      { role: 'ControlPlane', to: 'cluster', on: ['verdict'], after: soon },
      { kind: 'MachineDeployment', to: 'cluster', on: ['verdict'], after: soon },
      { kind: 'ClusterOperation', to: 'cluster', on: allButStatus },
      { kind: 'ClusterOperation', to: 'cluster', on: ['verdict'], after: soon },
      // Controllers that use a template make the Cluster its owner.
      { role: 'InfrastructureMachineTemplate', to: 'owner', on: ['created', 'metadata'], after: soon },
      { role: 'InfrastructureMachineTemplate', to: 'owner', on: ['spec'], by: 'clients' },
      { role: 'BootstrapConfigTemplate', to: 'owner', on: ['created', 'metadata'], after: soon },
      { role: 'BootstrapConfigTemplate', to: 'owner', on: ['spec'], by: 'clients' },
    ],
    finalizer: operationsFinalizer,
    // Either controller may see the Cluster first, and sets both finalizers: without the Cluster
    // controller's, the cluster's parts would be left behind.
    keptFor: () => [clusterFinalizer],
    clusterOf: ({ metadata }) => metadata.name,
    operates: true,
    conditions: 'none',
    observe: (cluster, read, context) => observe(cluster, read, context, controlPlanes),
    reconcile,
  });
