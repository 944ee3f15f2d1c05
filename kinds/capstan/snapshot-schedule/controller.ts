import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** Creates the EtcdSnapshots that a Cluster's schedule asks for, and deletes old ones. */
export const snapshotSchedule = ({ controlPlanes }: Pick<Providers, 'controlPlanes'>) =>
  defineController<Cluster, Observed>({
    name: 'snapshot-schedule',
    for: 'Cluster',
    worker: 'core',
    // Its annotations hold the schedule, and that it was Available.
    level: 'gate',
    watches: [
      // Also when its file is found damaged.
      { kind: 'EtcdSnapshot', to: 'cluster', level: 'count' },
      // A creation ends once the cluster is Available, when the installation's schedule begins.
      { kind: 'ClusterOperation', to: 'cluster', level: 'gate' },
      // Its spec holds the schedule of all others.
      { kind: 'Installation', to: 'all' },
    ],
    clusterOf: ({ metadata }) => metadata.name,
    conditions: 'none',
    observe: (cluster, read) => observe(cluster, read, controlPlanes),
    reconcile,
  });
