import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** Creates the EtcdSnapshots that a Cluster's schedule asks for, and deletes old ones. */
export const snapshotSchedule = defineController<Cluster, Observed>({
  name: 'snapshot-schedule',
  for: 'Cluster',
  worker: 'core',
  // Its annotations hold the schedule, and that it was Available.
  level: 'gate',
  watches: [{ kind: 'EtcdSnapshot', to: 'cluster', level: 'gate' }],
  clusterOf: ({ metadata }) => metadata.name,
  conditions: 'none',
  observe,
  reconcile,
});
