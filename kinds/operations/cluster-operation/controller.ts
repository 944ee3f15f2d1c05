import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Infrastructure } from '../../core/contract/infrastructure.ts';
import { operationFinalizer } from './controller-names.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterOperation } from './schema.ts';

/**
 * The ClusterOperation controller: answers the tasks of an operation's workflow and moves the
 * Cluster's target.
 */
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
