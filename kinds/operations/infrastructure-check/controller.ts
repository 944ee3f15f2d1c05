import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The infrastructure-checks controller: asks the infrastructure provider about an upgrade that a user
 * asks about. The upgrade-checks controller, which has no access to the account, reports the answer.
 */
export const infrastructureChecks = ({ infrastructures }: Pick<Providers, 'infrastructures'>) =>
  defineController<Cluster, Observed>({
    name: 'infrastructure-checks',
    for: 'Cluster',
    worker: 'aws',
    level: 'gate',
    watches: [
      { kind: 'UpgradeCheck', to: 'members', level: 'gate' },
      // A request is answered once the operation has ended.
      { kind: 'ClusterOperation', to: 'owner', level: 'gate' },
    ],
    clusterOf: ({ metadata }) => metadata.name,
    conditions: 'none',
    observe: (cluster, read, context) => observe(cluster, read, context, infrastructures),
    reconcile,
  });
