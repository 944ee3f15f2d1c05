/** What an AWSCluster's conditions mean. */

import { type CauseRules, type ConditionRule, retried, withheld } from '../../common/causes/index.ts';
import {
  bastionReady,
  carrierGatewayReady,
  egressOnlyInternetGatewayReady,
  internetGatewayReady,
  loadBalancerReady,
  natGatewaysReady,
  routeTablesReady,
  secondaryCidrsReady,
  securityGroupsReady,
  subnetsReady,
  vpcReady,
} from '../network/conditions.ts';
import { remediesFor } from '../remedies.ts';
import { principalCredentialRetrieved, principalUsageAllowed, specActedOn } from './conditions.ts';

const created = 'AWS creates it; Capstan checks it again every few seconds, later every few minutes';
const deleting = { level: 'wait', next: created.replace('creates', 'deletes') } as const;

/** A part of the network: what its creation and its failure are called. */
const part = (started: string, failed: string, more: ConditionRule['reasons'] = {}): ConditionRule => ({
  next: retried,
  run: (_, graph, message) => remediesFor(message, graph),
  countsInDeletion: true,
  reasons: {
    [started]: { next: created },
    [failed]: {},
    Deleting: deleting,
    ...more,
    ...withheld,
  },
  fine: ['Deleted'],
});

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
    [vpcReady]: part('VpcCreationStarted', 'VpcReconciliationFailed'),
    [secondaryCidrsReady]: part('SecondaryCidrsCreationStarted', 'SecondaryCidrReconciliationFailed'),
    [subnetsReady]: part('SubnetsCreationStarted', 'SubnetsReconciliationFailed'),
    [internetGatewayReady]: part('InternetGatewayCreationStarted', 'InternetGatewayFailed'),
    [carrierGatewayReady]: part('CarrierGatewayCreationStarted', 'CarrierGatewayFailed'),
    [egressOnlyInternetGatewayReady]: part(
      'EgressOnlyInternetGatewayCreationStarted',
      'EgressOnlyInternetGatewayFailed',
    ),
    [natGatewaysReady]: part('NatGatewaysCreationStarted', 'NatGatewaysReconciliationFailed'),
    [routeTablesReady]: part('RouteTablesCreationStarted', 'RouteTableReconciliationFailed'),
    [securityGroupsReady]: part('ClusterSecurityGroupsCreationStarted', 'ClusterSecurityGroupReconciliationFailed'),
    [bastionReady]: part('BastionCreationStarted', 'BastionHostFailed'),
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
