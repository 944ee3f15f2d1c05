/**
 * The Machine controller: follows a Machine from its references to a ready Node, reports its status
 * and deletes it step by step.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { directed, existence, later, messageOnly, soon, specified } from '../../common/watches.ts';
import { machineFinalizer } from '../contract/finalizers.ts';
import type { Providers } from '../contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import { release } from './release.ts';
import type { Machine } from './schema.ts';

export const machineController = ({ controlPlanes }: Pick<Providers, 'controlPlanes'>) =>
  defineController<Machine, Observed>({
    name: 'machine',
    for: 'Machine',
    worker: 'workload',
    watches: [
      { role: 'InfrastructureMachine', to: 'owner', on: existence },
      { role: 'InfrastructureMachine', to: 'owner', on: ['facts'], after: later },
      { role: 'InfrastructureMachine', to: 'owner', on: ['metadata', 'spec'], by: 'clients', after: soon },
      { role: 'InfrastructureMachine', to: 'owner', on: ['status'], after: messageOnly },
      { role: 'BootstrapConfig', to: 'owner', on: [...existence, 'latched'] },
      { role: 'BootstrapConfig', to: 'owner', on: ['facts'], after: soon },
      // The control plane notes the certificates' expiry there.
      { role: 'BootstrapConfig', to: 'owner', on: ['metadata'], by: 'others', after: soon },
      { role: 'BootstrapConfig', to: 'owner', on: ['spec'], by: 'clients', after: soon },
      { role: 'BootstrapConfig', to: 'owner', on: ['status'], after: messageOnly },
      // Whether the Machine is outdated; the set's replicas do not matter to it.
      { kind: 'MachineSet', to: 'dependents', on: [...existence, 'direction'] },
      { kind: 'MachineDeployment', to: 'members', on: ['direction'] },
      { role: 'ControlPlane', to: 'members', on: [...existence, 'spec'] },
      { kind: 'Cluster', to: 'members', on: [...directed, 'latched'] },
      specified,
      { kind: 'WorkloadSnapshot', to: 'members' },
    ],
    finalizer: machineFinalizer,
    clusterOf: (machine) => machine.spec?.clusterName,
    conditions: 'v1beta2',
    observe,
    reconcile: (observed, context) => reconcile(observed, context, controlPlanes),
    release: (observed, context) => release(observed, (seen) => reconcile(seen, context, controlPlanes)),
  });
