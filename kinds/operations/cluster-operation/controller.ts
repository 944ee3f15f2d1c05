import { defineController } from '../../../machinery/api/reconcile.ts';
import { allButStatus, aside, messageOnly, soon } from '../../common/watches.ts';
import { operationFinalizer } from './controller-names.ts';
import { type OperationProviders, observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterOperation } from './schema.ts';

/**
 * The ClusterOperation controller: answers the tasks of an operation's workflow and moves the
 * Cluster's target.
 */
export const clusterOperationController = ({ infrastructures, controlPlanes }: OperationProviders) =>
  defineController<ClusterOperation, Snapshot>({
    name: 'cluster-operation',
    for: 'ClusterOperation',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'members', on: [...allButStatus, 'verdict', 'latched'], after: soon },
      { kind: 'Cluster', to: 'members', on: ['facts'], after: aside },
      { kind: 'Cluster', to: 'members', after: messageOnly },
      { role: 'InfrastructureCluster', to: 'members', on: ['created', 'deleted', 'deleting', 'verdict'], after: soon },
      { role: 'InfrastructureCluster', to: 'members', on: ['facts'], after: aside },
      { role: 'InfrastructureCluster', to: 'members', after: messageOnly },
      { kind: 'Machine', to: 'members', on: ['deleted'], after: soon },
      { role: 'InfrastructureMachine', to: 'members', on: ['deleted'], after: soon },
      // These conditions are the first to report why the infrastructure cannot be created.
      { role: 'InfrastructureMachine', to: 'members', on: ['status'], after: messageOnly },
      { kind: 'MachineSet', to: 'members', on: ['deleted'], after: soon },
      { kind: 'EtcdSnapshot', to: 'members', on: ['verdict', 'deleted'] },
      // How far a rollout is, which the Cluster counts later.
      { role: 'ControlPlane', to: 'members', on: ['verdict'], after: soon },
      { kind: 'MachineDeployment', to: 'members', on: ['verdict'], after: soon },
      // The Cluster's conditions do not include add-ons.
      { kind: 'ClusterResourceSetBinding', to: 'members', on: ['created', 'spec'], after: aside },
    ],
    finalizer: operationFinalizer,
    awaits: true,
    conditions: 'none',
    observe: (operation, read, context) => observe(operation, read, context, { infrastructures, controlPlanes }),
    reconcile,
  });
