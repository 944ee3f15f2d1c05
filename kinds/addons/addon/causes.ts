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
        SourceNotFound: { advice: 'Correct the URL, the name, the version or the digest, or publish it there again' },
        SourceForbidden: { advice: 'Let anonymous clients read it, or copy it to where they may' },
        SourceUnavailable: {
          advice: 'Make the host answer, from where Capstan runs; spec.caBundle of the source names its authorities',
          next: 'Capstan asks it again every minute',
        },
        SourceTooLarge: { advice: 'Divide it, or give its manifests in several ConfigMaps' },
        DigestMismatch: {
          advice: 'Give the digest of what you reviewed, and find out why the source has something else',
        },
        ChartInvalid: { advice: "Correct the chart's values, or take a version of it that Helm renders" },
        HelmNotFound: { advice: 'Install Helm where Capstan runs; in a deployment by the setting helmLayer' },
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
