import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { clusterFinalizer, operationsFinalizer } from '../../core/contract/finalizers.ts';
import { type Observed, observe, type StarterProviders } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The operation starter: begins a Cluster's operations. Its finalizer keeps the Cluster until an
 * operation proves that nothing is left.
 */
export const operationStarter = ({ controlPlanes, infrastructureKinds }: StarterProviders) =>
  defineController<Cluster, Observed>({
    name: 'operation-starter',
    for: 'Cluster',
    worker: 'core',
    level: 'gate',
    watches: [
      { role: 'InfrastructureCluster', to: 'cluster' },
      { role: 'InfrastructureCluster', to: 'referrers' },
      // Machines are outdated once their owner has counted them, or because of their age.
      { role: 'ControlPlane', to: 'cluster', level: 'count' },
      { role: 'ControlPlane', to: 'referrers' },
      { kind: 'MachineDeployment', to: 'cluster', level: 'count' },
      { kind: 'MachineSet', to: 'cluster' },
      { kind: 'ClusterOperation', to: 'cluster', level: 'gate' },
      // Controllers that use a template make the Cluster its owner.
      { role: 'InfrastructureMachineTemplate', to: 'owner' },
      { role: 'BootstrapConfigTemplate', to: 'owner' },
    ],
    finalizer: operationsFinalizer,
    // Either controller may see the Cluster first, and sets both finalizers: without the Cluster
    // controller's, the cluster's parts would be left behind.
    keptFor: () => [clusterFinalizer],
    clusterOf: ({ metadata }) => metadata.name,
    operates: true,
    conditions: 'none',
    observe: (cluster, read, context) => observe(cluster, read, context, { controlPlanes, infrastructureKinds }),
    reconcile,
  });
