/**
 * The Machine controller: follows a Machine from its references to a ready Node, reports its status
 * and deletes it step by step.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
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
      { role: 'InfrastructureMachine', to: 'owner', level: 'note' },
      { role: 'BootstrapConfig', to: 'owner', level: 'note' },
      // Whether the Machine is outdated.
      { kind: 'MachineSet', to: 'dependents' },
      { kind: 'MachineDeployment', to: 'members' },
      { role: 'ControlPlane', to: 'members' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
    ],
    finalizer: machineFinalizer,
    clusterOf: (machine) => machine.spec?.clusterName,
    conditions: 'v1beta2',
    observe,
    reconcile: (observed, context) => reconcile(observed, context, controlPlanes),
    release: (observed, context) => release(observed, (seen) => reconcile(seen, context, controlPlanes)),
  });
