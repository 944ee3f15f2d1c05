/** Conditions of an AWSCluster, in the words of the AWS provider. */
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
/** Ours: False lists what the spec asks for in vain. */
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

/** The condition of a part: True when nothing is left to do, else what is awaited. */
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

/** Which part a failed call belongs to: the first word of its step's key. */
const partOfKey: Record<string, PartCondition> = {
  vpc: vpcReady,
  'secondary-block': secondaryCidrsReady,
  subnet: subnetsReady,
  'internet-gateway': internetGatewayReady,
  'carrier-gateway': carrierGatewayReady,
  address: natGatewaysReady,
  'nat-gateway': natGatewaysReady,
  'route-table': routeTablesReady,
  'security-group': securityGroupsReady,
  bastion: bastionReady,
  'load-balancer': loadBalancerReady,
  'target-group': loadBalancerReady,
  listener: loadBalancerReady,
};
const partOfOperation: [RegExp, PartCondition][] = [
  [/VpcCidrBlock/, secondaryCidrsReady],
  [/Vpc/, vpcReady],
  [/SecurityGroup/, securityGroupsReady],
  [/Subnet/, subnetsReady],
  [/InternetGateway/, internetGatewayReady],
  [/CarrierGateway/, carrierGatewayReady],
  [/NatGateway|Address/, natGatewaysReady],
  [/Route/, routeTablesReady],
  [/Instances|Images/, bastionReady],
  [/./, loadBalancerReady],
];

// Describe calls lag, so these say that what was asked for is there already.
const benign = /Duplicate|AlreadyExists|AlreadyAssociated|^InvalidSubnet\.Conflict$|\.InUse$/;
export const isBenign = ({ code }: Failure): boolean => benign.test(code);

/** One of a type: what a failed call says stands for what is said of its part. */
export const withFailed = (conditions: readonly LegacyDraft[], failed: LegacyDraft | undefined): LegacyDraft[] =>
  failed ? [...conditions.filter(({ type }) => type !== failed.type), failed] : [...conditions];

/** The condition that a failed call turns False. `passing`: what was there before still serves, or it may be over soon. */
export const failedCondition = (failure: Failure, passing: boolean): LegacyDraft => {
  const type =
    (failure.group && partOfKey[failure.group.split('/')[0]!]) ||
    partOfOperation.find(([operation]) => operation.test(failure.operation))![1];
  return legacyFalse(
    type,
    failedReasons[type],
    passing ? 'Warning' : 'Error',
    `${failure.operation}: ${failure.code}: ${failure.message}`,
  );
};

/** Not part of Ready: what is not acted on harms nothing but the expectation. `forgone`: what is gone without. */
export const reportOf = (object: KubeObject, forgone: readonly string[] = []): LegacyDraft[] => {
  const unheeded = [...warnUnheeded(object), ...forgone];
  return unheeded.length ? [legacyFalse(specActedOn, 'NotActedOn', 'Info', unheeded.join('; '))] : [];
};
