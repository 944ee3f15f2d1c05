/** What an AWSCluster's conditions mean. */

import type { CauseRules } from '../../common/causes/index.ts';
import { loadBalancerReady } from '../network/conditions.ts';
import { networkCauses, part } from '../network-condition-rules.ts';
import { principalCredentialRetrieved, principalUsageAllowed, specActedOn } from './conditions.ts';

const identities = 'kubectl get awsclustercontrolleridentities,awsclusterroleidentities -o yaml';

export const awsClusterCauses: CauseRules = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSCluster',
  conditions: {
    [principalUsageAllowed]: {
      level: 'fault',
      next: 'Capstan checks it again every minute',
      reasons: {
        PrincipalUsageUnauthorized: { run: () => [identities] },
        SourcePrincipalUsageUnauthorized: { run: () => [identities] },
      },
    },
    [principalCredentialRetrieved]: {
      level: 'fault',
      next: 'Capstan checks it again every minute',
      reasons: {
        PrincipalCredentialRetrievalFailed: { run: () => [identities] },
      },
    },
    ...networkCauses,
    [loadBalancerReady]: part('WaitForDNSName', 'LoadBalancerFailed', {
      WaitForDNSNameResolve: { overdueAfter: 900 },
      WaitForExternalControlPlaneEndpoint: {
        level: 'fault',
        advice: 'Set spec.controlPlaneEndpoint of the AWSCluster to the host and port of your load balancer',
      },
    }),
    [specActedOn]: {
      level: 'wait',
      reasons: {
        NotActedOn: {
          next: 'Nothing: Capstan does not act on these fields',
          advice: 'Remove the fields from the spec',
        },
      },
    },
    Ready: { isSummary: true },
  },
};
