/** What an Addon's conditions mean. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { inCluster } from '../../common/causes/in-cluster.ts';
import { byControlPlane, byProbe, type CauseRules, firstOf, withheld } from '../../common/causes/index.ts';
import { applied, healthy, ready } from './conditions.ts';
import type { AddonSpec } from './schema.ts';

/** The first workload that the message names. */
const seeWorkload = ({ metadata, spec }: KubeObject, _: unknown, message: string): string[] => {
  const [, kind = '', namespace, name] = /^(\w+) (?:([\w.-]+)\/)?([\w.-]+): /.exec(message) ?? [];
  const { clusterName = '' } = (spec ?? {}) as Partial<AddonSpec>;
  if (name === undefined) return [];
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  return inCluster(
    { namespace: metadata.namespace ?? '', name: clusterName },
    `describe ${kind.toLowerCase()} ${name}${where}`,
    ...(namespace === undefined ? [] : [`get events${where}`]),
  );
};

const askedAgain = 'Capstan asks the source again every ten minutes, and at once when the Addon changes';

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
        SourceNotFound: {
          next: askedAgain,
          advice: 'Correct the URL, the name, the version or the digest, or publish it there again',
        },
        SourceForbidden: { next: askedAgain, advice: 'Let anonymous clients read it, or copy it to where they may' },
        SourceUnavailable: {
          advice: 'Make the host answer where Capstan runs; the caBundle of the source names its authorities',
          next: 'Capstan asks it again every minute',
        },
        SourceTooLarge: { next: askedAgain, advice: 'Divide it, or give its manifests in several ConfigMaps' },
        DigestMismatch: {
          next: askedAgain,
          advice: 'Give the digest of what you reviewed, and find out why the source has something else',
        },
        ChartInvalid: {
          next: askedAgain,
          advice: "Correct the chart's values, or take a version of it that Helm renders",
        },
        HelmNotFound: {
          next: askedAgain,
          advice: 'Install Helm where Capstan runs; in a deployment by the setting helmLayer',
        },
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
        HealthTimeout: { next: 'Capstan looks again every minute', run: seeWorkload },
      },
      fine: ['Healthy'],
    },
    [ready]: { isSummary: true },
  },
};
