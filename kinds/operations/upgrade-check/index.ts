import { age, clusterColumn, column } from '../../common/columns.ts';
import { validateNameOfCluster, withNameOfCluster } from '../../common/named-as-cluster.ts';
import { defineKind } from '../../define.ts';
import { upgradeCheck as facts } from './kind.ts';
import { upgradeCheckSpec, upgradeCheckStatus } from './schema.ts';

export type * from './schema.ts';

/**
 * Whether a cluster can be upgraded, and what stands in the way. The upgrade-checks controller
 * creates one for each Cluster, which owns it.
 */
export const upgradeCheck = defineKind({
  ...facts,
  shortNames: ['upc'],
  default: withNameOfCluster,
  validate: validateNameOfCluster,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'Whether a cluster can be upgraded, checked each day and before each upgrade.',
      columns: [
        clusterColumn,
        column('Target', 'string', '.status.target', 'The version of the upgrade.'),
        column('Result', 'string', '.status.result', 'The worst of the findings.'),
        column('Refreshed', 'date', '.status.lastRefresh', 'When it was checked last.'),
        age,
        column('Operation', 'string', '.status.operation', 'The operation that waits for it.', 1),
      ],
      spec: upgradeCheckSpec,
      specRequired: true,
      status: upgradeCheckStatus,
    },
  ],
});
