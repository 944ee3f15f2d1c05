/** Conditions of a network's parts, with the AWS provider's types. */

export const vpcReady = 'VpcReady';
export const secondaryCidrsReady = 'SecondaryCidrsReady';
export const subnetsReady = 'SubnetsReady';
export const internetGatewayReady = 'InternetGatewayReady';
export const egressOnlyInternetGatewayReady = 'EgressOnlyInternetGatewayReady';
export const carrierGatewayReady = 'CarrierGatewayReady';
export const natGatewaysReady = 'NatGatewaysReady';
export const routeTablesReady = 'RouteTablesReady';
export const securityGroupsReady = 'ClusterSecurityGroupsReady';
export const bastionReady = 'BastionHostReady';
export const loadBalancerReady = 'LoadBalancerReady';
