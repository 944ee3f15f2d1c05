/** What a ClusterClass' conditions mean. */
import type { CauseRules } from '../../common/causes/index.ts';

export const clusterClassCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'ClusterClass',
  conditions: {
    VariablesReady: {
      level: 'fault',
      reasons: {
        VariableDiscoveryFailed: {
          advice: 'Use patches with definitions: Capstan calls no extensions for patches',
          next: 'Capstan acts on no Cluster of this class',
        },
      },
      fine: ['VariablesReady'],
    },
    RefVersionsUpToDate: {
      level: 'wait',
      reasons: {
        RefVersionsUpToDateInternalError: {
          advice: 'Create the templates that the class refers to, or refer to others',
          next: 'Capstan goes on as soon as they exist',
        },
      },
      fine: ['RefVersionsUpToDate'],
    },
  },
};
