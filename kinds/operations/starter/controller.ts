import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { clusterFinalizer, operationsFinalizer } from '../../core/contract/finalizers.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The operation starter: begins a Cluster's operations. Its finalizer keeps the Cluster until an
 * operation proves that nothing is left.
 */
export const operationStarter = defineController<Cluster, Snapshot>({
  name: 'operation-starter',
  for: 'Cluster',
  finalizer: operationsFinalizer,
  // Either controller may see the Cluster first, and sets both finalizers: without the Cluster
  // controller's, the cluster's parts would be left behind.
  keptFor: () => [clusterFinalizer],
  clusterOf: ({ metadata }) => metadata.name,
  conditions: 'none',
  observe,
  reconcile,
});
