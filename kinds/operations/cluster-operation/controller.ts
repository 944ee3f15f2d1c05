import { defineController } from '../../../machinery/api/reconcile.ts';
import type { OperationProviders } from '../shared/observing.ts';
import { operationFinalizer } from './controller-names.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterOperation } from './schema.ts';

/**
 * The ClusterOperation controller: answers the tasks of an operation's workflow and moves the
 * Cluster's target.
 */
export const clusterOperationController = ({ infrastructures, controlPlanes }: OperationProviders) =>
  defineController<ClusterOperation, Observed>({
    name: 'cluster-operation',
    for: 'ClusterOperation',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'members', level: 'note' },
      { role: 'InfrastructureCluster', to: 'members', level: 'note' },
      // Steps quote its conditions. Ended operations are passed over, so that a quiet fleet has no passes for them.
      { kind: 'Machine', to: 'members', level: 'note' },
      // Its conditions are the first to report why the infrastructure cannot be created.
      { role: 'InfrastructureMachine', to: 'members', level: 'note' },
      { kind: 'MachineSet', to: 'members' },
      { kind: 'EtcdSnapshot', to: 'members', level: 'gate' },
      { kind: 'UpgradeCheck', to: 'members', level: 'gate' },
      // How far a rollout is, which the Cluster counts later.
      { role: 'ControlPlane', to: 'members', level: 'note' },
      { kind: 'MachineDeployment', to: 'members', level: 'count' },
      // The Cluster's conditions do not include add-ons.
      { kind: 'ClusterResourceSetBinding', to: 'members', level: 'count' },
    ],
    finalizer: operationFinalizer,
    awaits: true,
    conditions: 'none',
    observe: (operation, read, context) => observe(operation, read, context, { infrastructures, controlPlanes }),
    reconcile,
  });
