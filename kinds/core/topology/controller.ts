/**
 * The topology controller: makes the objects that a Cluster's topology and its ClusterClass describe, and
 * keeps them so.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import { topologyController } from '../contract/topology.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

export const topology = defineController<Cluster, Observed>({
  name: topologyController,
  for: 'Cluster',
  worker: 'core',
  // The Cluster counts what its parts report, such as the versions of their Machines.
  level: 'count',
  watches: [
    { kind: 'ClusterClass', to: 'referrers', level: 'gate' },
    { role: 'InfrastructureCluster', to: 'referrers' },
    { role: 'ControlPlane', to: 'referrers' },
    { kind: 'MachineDeployment', to: 'cluster' },
    { kind: 'MachinePool', to: 'cluster' },
    { kind: 'MachineHealthCheck', to: 'cluster' },
    { kind: 'MachineSet', to: 'cluster' },
    // The next step of an upgrade begins when the operation of the one before ends.
    { kind: 'ClusterOperation', to: 'owner', level: 'gate' },
    { role: 'InfrastructureMachineTemplate', to: 'owner' },
    { role: 'BootstrapConfigTemplate', to: 'owner' },
  ],
  clusterOf: ({ metadata }) => metadata.name,
  // It writes what a user would write; operations decide what follows from that.
  operates: true,
  conditions: 'none',
  observe,
  reconcile,
});
