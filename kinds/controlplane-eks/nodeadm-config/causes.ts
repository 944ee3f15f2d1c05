/** What a NodeadmConfig's conditions mean. */
import { type CauseRules, withheld } from '../../common/causes/index.ts';
import { dataSecretAvailable, generationFailed } from './conditions.ts';

export const nodeadmConfigCauses: CauseRules = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'NodeadmConfig',
  conditions: {
    [dataSecretAvailable]: {
      level: 'fault',
      next: 'Capstan tries it again every half minute',
      reasons: {
        [generationFailed]: {},
        WaitingForClusterInfrastructure: { level: 'wait' },
        WaitingForControlPlaneInitialization: { level: 'wait' },
        ...withheld,
      },
    },
    Ready: { isSummary: true },
  },
};
