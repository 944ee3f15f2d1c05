/** What the conditions of a network's parts mean. */
import { type CauseRules, type ConditionRule, retried, withheld } from '../common/causes/index.ts';
import {
  bastionReady,
  carrierGatewayReady,
  egressOnlyInternetGatewayReady,
  internetGatewayReady,
  natGatewaysReady,
  routeTablesReady,
  secondaryCidrsReady,
  securityGroupsReady,
  subnetsReady,
  vpcReady,
} from './network/conditions.ts';
import { remediesFor } from './remedies.ts';

const created = 'AWS creates it; Capstan checks it again every few seconds, later every few minutes';
const deleting = { level: 'wait', next: created.replace('creates', 'deletes') } as const;

/** A part of the network: what its creation and its failure are called. */
export const part = (started: string, failed: string, more: ConditionRule['reasons'] = {}): ConditionRule => ({
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

/** All but the load balancer. */
export const networkCauses: CauseRules['conditions'] = {
  [vpcReady]: part('VpcCreationStarted', 'VpcReconciliationFailed'),
  [secondaryCidrsReady]: part('SecondaryCidrsCreationStarted', 'SecondaryCidrReconciliationFailed'),
  [subnetsReady]: part('SubnetsCreationStarted', 'SubnetsReconciliationFailed'),
  [internetGatewayReady]: part('InternetGatewayCreationStarted', 'InternetGatewayFailed'),
  [carrierGatewayReady]: part('CarrierGatewayCreationStarted', 'CarrierGatewayFailed'),
  [egressOnlyInternetGatewayReady]: part('EgressOnlyInternetGatewayCreationStarted', 'EgressOnlyInternetGatewayFailed'),
  [natGatewaysReady]: part('NatGatewaysCreationStarted', 'NatGatewaysReconciliationFailed'),
  [routeTablesReady]: part('RouteTablesCreationStarted', 'RouteTableReconciliationFailed'),
  [securityGroupsReady]: part('ClusterSecurityGroupsCreationStarted', 'ClusterSecurityGroupReconciliationFailed'),
  [bastionReady]: part('BastionCreationStarted', 'BastionHostFailed'),
};
