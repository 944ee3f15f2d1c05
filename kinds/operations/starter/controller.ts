import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { clusterFinalizer, operationsFinalizer } from '../../core/contract/finalizers.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** Begins the operations of a Cluster; its finalizer keeps the Cluster until it is proved that nothing is left. */
export const operationStarter = defineController<Cluster, Snapshot>({
  name: 'operation-starter',
  for: 'Cluster',
  finalizer: operationsFinalizer,
  // Whoever sees it first keeps it for the other one, without whom its parts would stay.
  keptFor: () => [clusterFinalizer],
  clusterOf: ({ metadata }) => metadata.name,
  conditions: 'none',
  observe,
  reconcile,
});
