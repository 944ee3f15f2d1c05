/** What an Addon's conditions mean. */
import { byControlPlane, byProbe, type CauseRules, firstOf, withheld } from '../../common/causes/index.ts';
import { applied, healthy, ready } from './conditions.ts';

export const addonCauses: CauseRules = {
  group: 'capstan.dev',
  kind: 'Addon',
  conditions: {
    [applied]: {
      next: 'Capstan applies it again when it, its manifests or its Cluster change, and after growing pauses of at most 15 minutes',
      reasons: {
        Applying: { level: 'wait' },
        ApplyFailed: { by: byProbe },
        ManifestsInvalid: { advice: 'Correct the ConfigMap or Secret that the message names' },
        OwnedByClusterResourceSet: { advice: 'Remove the object from one of the two' },
        WaitingForCluster: { level: 'wait' },
        WaitingForControlPlane: { level: 'wait', by: firstOf(byControlPlane, byProbe) },
        ...withheld,
      },
      fine: ['Applied'],
    },
    [healthy]: {
      reasons: {
        Progressing: { level: 'wait' },
        HealthTimeout: { next: 'Capstan looks again every minute' },
      },
      fine: ['Healthy'],
    },
    [ready]: { isSummary: true },
  },
};
