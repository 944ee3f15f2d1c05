/** What an AWSManagedMachinePool's conditions mean. */
import { type CauseRules, withheld } from '../../common/causes/index.ts';
import {
  nodegroupReady,
  reconciliationFailed,
  rolesCreating,
  rolesFailed,
  rolesReady,
  waitingForControlPlane,
} from './conditions.ts';

const again = 'Capstan tries it again every minute';
const looks = 'EKS does it within minutes; Capstan looks every half minute';

export const awsManagedMachinePoolCauses: CauseRules = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSManagedMachinePool',
  conditions: {
    [nodegroupReady]: {
      level: 'fault',
      next: again,
      countsInDeletion: true,
      reasons: {
        [reconciliationFailed]: {},
        EKSNodegroupCreating: { level: 'wait', next: looks },
        [waitingForControlPlane]: { level: 'wait' },
        Deleting: { level: 'wait', next: looks },
        ...withheld,
      },
    },
    [rolesReady]: {
      level: 'fault',
      next: again,
      reasons: {
        [rolesFailed]: {},
        [rolesCreating]: { level: 'wait', next: 'Capstan looks within a quarter of a minute' },
      },
    },
    Ready: { isSummary: true },
  },
};
