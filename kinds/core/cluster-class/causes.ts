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
          advice: 'Make the extension that the message names answer, and define each variable once',
          next: 'Capstan asks it again every minute, and meanwhile acts on no Cluster of this class',
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
