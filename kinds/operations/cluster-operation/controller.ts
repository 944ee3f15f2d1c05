import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Infrastructure } from '../../core/contract/infrastructure.ts';
import { operationFinalizer } from './controller-names.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterOperation } from './schema.ts';

/** Moves an operation forward: it tells its workflow what has come true, and the Cluster what to work towards. */
export const clusterOperationController = (infrastructures: readonly Infrastructure[]) =>
  defineController<ClusterOperation, Snapshot>({
    name: 'cluster-operation',
    for: 'ClusterOperation',
    finalizer: operationFinalizer,
    awaits: true,
    conditions: 'none',
    observe: (operation, read, context) => observe(operation, read, context, infrastructures),
    reconcile,
  });
