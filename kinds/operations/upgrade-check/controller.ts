import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The upgrade-checks controller: looks into a workload cluster when an upgrade waits for it, and
 * once a day for the next minor version. It writes what it finds to the Cluster's UpgradeCheck.
 */
export const upgradeChecks = ({ controlPlanes }: Pick<Providers, 'controlPlanes'>) =>
  defineController<Cluster, Observed>({
    name: 'upgrade-checks',
    for: 'Cluster',
    worker: 'workload',
    level: 'gate',
    watches: [
      // The step that waits.
      { kind: 'ClusterOperation', to: 'owner', level: 'count' },
      // A deleted check is made again, and a changed one restored.
      { kind: 'UpgradeCheck', to: 'members', level: 'gate' },
      // The answer to a request.
      { kind: 'InfrastructureCheck', to: 'members', level: 'gate' },
    ],
    clusterOf: ({ metadata }) => metadata.name,
    conditions: 'none',
    observe: (cluster, read, context) => observe(cluster, read, context, controlPlanes),
    reconcile,
  });
