/** What an AWSManagedControlPlane's conditions mean. */
import { type CauseRules, withheld } from '../../common/causes/index.ts';
import { networkCauses } from '../../infrastructure-aws/network-condition-rules.ts';
import {
  addonsConfigured,
  addonsFailed,
  controlPlaneCreating,
  controlPlaneReady,
  controlPlaneUpdating,
  rolesReady,
} from './conditions.ts';

const again = 'Capstan tries it again every minute';
const soon = 'Capstan looks within a quarter of a minute';
const looks = 'EKS does it within minutes; Capstan looks every half minute';

export const awsManagedControlPlaneCauses: CauseRules = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'AWSManagedControlPlane',
  conditions: {
    ...networkCauses,
    [controlPlaneReady]: {
      level: 'fault',
      next: again,
      countsInDeletion: true,
      reasons: {
        EKSControlPlaneReconciliationFailed: {},
        EKSControlPlaneCreating: { level: 'wait', next: looks },
        Deleting: { level: 'wait', next: looks },
        ...withheld,
      },
      fine: ['Deleted'],
    },
    [rolesReady]: {
      level: 'fault',
      next: again,
      countsInDeletion: true,
      reasons: {
        IAMControlPlaneRolesReconciliationFailed: {},
        IAMControlPlaneRolesCreating: { level: 'wait', next: soon },
        Deleting: { level: 'wait', next: soon },
      },
    },
    [addonsConfigured]: {
      level: 'fault',
      next: again,
      reasons: { [addonsFailed]: {}, EKSAddonsConfiguring: { level: 'wait', next: looks } },
    },
    [controlPlaneCreating]: { level: 'wait', fine: ['created'] },
    [controlPlaneUpdating]: { level: 'wait', fine: ['updated'] },
    Ready: { isSummary: true },
  },
};
