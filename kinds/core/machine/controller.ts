/**
 * The Machine controller: follows a Machine from its references to a ready Node, reports its status
 * and deletes it step by step.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import type { ControlPlaneProvider } from '../contract/control-plane.ts';
import { machineFinalizer } from '../contract/finalizers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { Machine } from './schema.ts';

export const machineController = (controlPlanes: readonly ControlPlaneProvider[]) =>
  defineController<Machine, Observed>({
    name: 'machine',
    for: 'Machine',
    finalizer: machineFinalizer,
    clusterOf: (machine) => machine.spec?.clusterName,
    conditions: 'v1beta2',
    observe,
    reconcile: (observed, context) => reconcile(observed, context, controlPlanes),
  });
