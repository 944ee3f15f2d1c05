/**
 * The Cluster controller: owns a cluster's parts, passes the endpoint on, aggregates their status
 * and deletes them in order.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { clusterFinalizer, operationsFinalizer } from '../contract/finalizers.ts';
import type { Providers } from '../contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { Cluster } from './schema.ts';
import { pausedTopology } from './status.ts';

export const clusterController = ({ causeRules }: Pick<Providers, 'causeRules'>) =>
  defineController<Cluster, Observed>({
    name: 'cluster',
    for: 'Cluster',
    worker: 'core',
    watches: [
      { role: 'InfrastructureCluster', to: 'owner', level: 'note' },
      { role: 'InfrastructureCluster', to: 'referrers' },
      { role: 'ControlPlane', to: 'owner', level: 'note' },
      { role: 'ControlPlane', to: 'referrers' },
      { kind: 'MachineDeployment', to: 'cluster', level: 'note' },
      { kind: 'MachineSet', to: 'cluster', level: 'note' },
      { kind: 'Machine', to: 'cluster', level: 'note' },
      { kind: 'MachinePool', to: 'cluster', level: 'note' },
      { role: 'InfrastructureMachine', to: 'cluster', level: 'note' },
      { kind: 'WorkloadSnapshot', to: 'cluster', level: 'gate' },
      { kind: 'ClusterOperation', to: 'owner', level: 'note' },
    ],
    finalizer: clusterFinalizer,
    // The operation starter keeps the Cluster until an operation proves that nothing is left.
    keptFor: ({ workflows }) => (workflows === true ? [operationsFinalizer] : []),
    clusterOf: (cluster) => cluster.metadata.name,
    conditions: 'v1beta2',
    whilePaused: pausedTopology,
    observe: (cluster, read, context) => ({ ...observe(cluster, read, context), causeRules }),
    reconcile,
    release,
  });
