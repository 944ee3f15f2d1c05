/** Conditions of an AWSCluster, with the AWS provider's types and reasons. */
import { type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { warnUnheeded } from '../not-acted-on.ts';
import type { Part } from './context.ts';
import type { Step } from './step.ts';

export const principalUsageAllowed = 'PrincipalUsageAllowed';
export const principalCredentialRetrieved = 'PrincipalCredentialRetrieved';
export const vpcReady = 'VpcReady';
export const secondaryCidrsReady = 'SecondaryCidrsReady';
export const subnetsReady = 'SubnetsReady';
export const internetGatewayReady = 'InternetGatewayReady';
export const carrierGatewayReady = 'CarrierGatewayReady';
export const natGatewaysReady = 'NatGatewaysReady';
export const routeTablesReady = 'RouteTablesReady';
export const securityGroupsReady = 'ClusterSecurityGroupsReady';
export const bastionReady = 'BastionHostReady';
export const loadBalancerReady = 'LoadBalancerReady';
/** Capstan's own condition: False lists spec fields that have no effect. */
export const specActedOn = 'SpecActedOn';

export const failedReasons = {
  [vpcReady]: 'VpcReconciliationFailed',
  [secondaryCidrsReady]: 'SecondaryCidrReconciliationFailed',
  [subnetsReady]: 'SubnetsReconciliationFailed',
  [internetGatewayReady]: 'InternetGatewayFailed',
  [carrierGatewayReady]: 'CarrierGatewayFailed',
  [natGatewaysReady]: 'NatGatewaysReconciliationFailed',
  [routeTablesReady]: 'RouteTableReconciliationFailed',
  [securityGroupsReady]: 'ClusterSecurityGroupReconciliationFailed',
  [bastionReady]: 'BastionHostFailed',
  [loadBalancerReady]: 'LoadBalancerFailed',
} as const;
export type PartCondition = keyof typeof failedReasons;

const startedReasons: Record<PartCondition, string> = {
  [vpcReady]: 'VpcCreationStarted',
  [secondaryCidrsReady]: 'SecondaryCidrsCreationStarted',
  [subnetsReady]: 'SubnetsCreationStarted',
  [internetGatewayReady]: 'InternetGatewayCreationStarted',
  [carrierGatewayReady]: 'CarrierGatewayCreationStarted',
  [natGatewaysReady]: 'NatGatewaysCreationStarted',
  [routeTablesReady]: 'RouteTablesCreationStarted',
  [securityGroupsReady]: 'ClusterSecurityGroupsCreationStarted',
  [bastionReady]: 'BastionCreationStarted',
  [loadBalancerReady]: 'WaitForDNSName',
};

/**
 * The condition of a part: True when nothing is left to do, else a message with what is awaited.
 */
export const partOf = (type: PartCondition, steps: Step[], underway: string[], awaited: string): Part => {
  const settled = steps.length === 0 && underway.length === 0;
  return {
    steps,
    underway,
    settled,
    conditions: [settled ? legacyTrue(type) : legacyFalse(type, startedReasons[type], 'Info', awaited)],
  };
};

export const failedPart = (type: PartCondition, message: string, reason: string = failedReasons[type]): Part => ({
  steps: [],
  underway: [],
  settled: false,
  conditions: [legacyFalse(type, reason, 'Error', message)],
});

// Describe calls lag. These codes mean that the requested state already exists.
const benign = /Duplicate|AlreadyExists|AlreadyAssociated|^InvalidSubnet\.Conflict$|\.InUse$/;
export const isBenign = ({ code }: Failure): boolean => benign.test(code);

/** One condition a type: the condition of a failed call replaces that of its part. */
export const withFailed = (conditions: readonly LegacyDraft[], failed: LegacyDraft | undefined): LegacyDraft[] =>
  failed ? [...conditions.filter(({ type }) => type !== failed.type), failed] : [...conditions];

/**
 * Not part of Ready: ignored fields do no harm to the cluster. `forgone`: changes that the
 * controller skips.
 */
export const reportOf = (object: KubeObject, forgone: readonly string[] = []): LegacyDraft[] => {
  const unheeded = [...warnUnheeded(object), ...forgone];
  return unheeded.length ? [legacyFalse(specActedOn, 'NotActedOn', 'Info', unheeded.join('; '))] : [];
};
