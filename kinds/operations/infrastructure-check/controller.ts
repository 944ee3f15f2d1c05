import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Providers } from '../../core/contract/providers.ts';
import type { UpgradeCheck } from '../upgrade-check/index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The infrastructure-checks controller: asks the infrastructure provider about an upgrade that a user
 * asks about. The upgrade-checks controller, which has no access to the account, reports the answer.
 */
export const infrastructureChecks = ({ infrastructures }: Pick<Providers, 'infrastructures'>) =>
  defineController<UpgradeCheck, Observed>({
    name: 'infrastructure-checks',
    for: 'UpgradeCheck',
    worker: 'aws',
    level: 'gate',
    watches: [
      // A request is answered once the operation has ended.
      { kind: 'ClusterOperation', to: 'members', level: 'gate' },
      { kind: 'Cluster', to: 'members' },
    ],
    clusterOf: ({ metadata }) => metadata.name,
    conditions: 'none',
    observe: (check, read, context) => observe(check, read, context, infrastructures),
    reconcile,
  });
