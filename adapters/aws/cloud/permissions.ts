/** IAM actions per call, from which the deployment's policies are generated. */
import type { CloudAction } from '../../../kinds/ports/cloud/index.ts';
import { serviceOf } from '../../../kinds/ports/cloud-limits.ts';
import type { IamActions, Permissions } from '../service/permissions.ts';

/** Calls of Elastic Load Balancing's first version, whose IAM actions have the names of the second's. */
export const classicPermissions = {
  DescribeClassicLoadBalancers: ['elasticloadbalancing:DescribeLoadBalancers'],
  CreateClassicLoadBalancer: [
    'elasticloadbalancing:CreateLoadBalancer',
    'elasticloadbalancing:AddTags',
    'iam:CreateServiceLinkedRole',
  ],
  DeleteClassicLoadBalancer: ['elasticloadbalancing:DeleteLoadBalancer'],
  ConfigureHealthCheck: ['elasticloadbalancing:ConfigureHealthCheck'],
  ModifyClassicLoadBalancerAttributes: ['elasticloadbalancing:ModifyLoadBalancerAttributes'],
  DescribeClassicLoadBalancerAttributes: ['elasticloadbalancing:DescribeLoadBalancerAttributes'],
  CreateLoadBalancerListeners: ['elasticloadbalancing:CreateLoadBalancerListeners'],
  AttachLoadBalancerToSubnets: ['elasticloadbalancing:AttachLoadBalancerToSubnets'],
  ApplySecurityGroupsToLoadBalancer: ['elasticloadbalancing:ApplySecurityGroupsToLoadBalancer'],
  RegisterInstancesWithLoadBalancer: ['elasticloadbalancing:RegisterInstancesWithLoadBalancer'],
  DeregisterInstancesFromLoadBalancer: ['elasticloadbalancing:DeregisterInstancesFromLoadBalancer'],
  DescribeClassicLoadBalancerTags: ['elasticloadbalancing:DescribeTags'],
  AddClassicLoadBalancerTags: ['elasticloadbalancing:AddTags'],
  RemoveClassicLoadBalancerTags: ['elasticloadbalancing:RemoveTags'],
} as const satisfies Partial<Permissions<CloudAction>>;

/** The call's own action comes first and names its service; the others are checked on the way. */
export const cloudPermissions = {
  DescribeRegions: ['ec2:DescribeRegions'],
  DescribeAvailabilityZones: ['ec2:DescribeAvailabilityZones'],
  DescribeVpcs: ['ec2:DescribeVpcs'],
  CreateVpc: ['ec2:CreateVpc', 'ec2:CreateTags'],
  DescribeIpamPools: ['ec2:DescribeIpamPools'],
  ModifyVpcAttribute: ['ec2:ModifyVpcAttribute'],
  DescribeVpcAttribute: ['ec2:DescribeVpcAttribute'],
  AssociateVpcCidrBlock: ['ec2:AssociateVpcCidrBlock'],
  DisassociateVpcCidrBlock: ['ec2:DisassociateVpcCidrBlock'],
  DeleteVpc: ['ec2:DeleteVpc'],
  DescribeSubnets: ['ec2:DescribeSubnets'],
  CreateSubnet: ['ec2:CreateSubnet', 'ec2:CreateTags'],
  ModifySubnetAttribute: ['ec2:ModifySubnetAttribute'],
  DeleteSubnet: ['ec2:DeleteSubnet'],
  DescribeInternetGateways: ['ec2:DescribeInternetGateways'],
  CreateInternetGateway: ['ec2:CreateInternetGateway', 'ec2:CreateTags'],
  AttachInternetGateway: ['ec2:AttachInternetGateway'],
  DetachInternetGateway: ['ec2:DetachInternetGateway'],
  DeleteInternetGateway: ['ec2:DeleteInternetGateway'],
  DescribeCarrierGateways: ['ec2:DescribeCarrierGateways'],
  CreateCarrierGateway: ['ec2:CreateCarrierGateway', 'ec2:CreateTags'],
  DeleteCarrierGateway: ['ec2:DeleteCarrierGateway'],
  DescribeNatGateways: ['ec2:DescribeNatGateways'],
  CreateNatGateway: ['ec2:CreateNatGateway', 'ec2:CreateTags'],
  DeleteNatGateway: ['ec2:DeleteNatGateway'],
  DescribeAddresses: ['ec2:DescribeAddresses'],
  AllocateAddress: ['ec2:AllocateAddress', 'ec2:CreateTags'],
  DescribePublicIpv4Pools: ['ec2:DescribePublicIpv4Pools'],
  AssociateAddress: ['ec2:AssociateAddress'],
  ReleaseAddress: ['ec2:ReleaseAddress'],
  DescribeRouteTables: ['ec2:DescribeRouteTables'],
  CreateRouteTable: ['ec2:CreateRouteTable', 'ec2:CreateTags'],
  CreateRoute: ['ec2:CreateRoute'],
  ReplaceRoute: ['ec2:ReplaceRoute'],
  AssociateRouteTable: ['ec2:AssociateRouteTable'],
  DisassociateRouteTable: ['ec2:DisassociateRouteTable'],
  DeleteRouteTable: ['ec2:DeleteRouteTable'],
  DescribeVpcEndpoints: ['ec2:DescribeVpcEndpoints'],
  CreateVpcEndpoint: ['ec2:CreateVpcEndpoint', 'ec2:CreateTags'],
  DeleteVpcEndpoints: ['ec2:DeleteVpcEndpoints'],
  DescribeSecurityGroups: ['ec2:DescribeSecurityGroups'],
  CreateSecurityGroup: ['ec2:CreateSecurityGroup', 'ec2:CreateTags'],
  AuthorizeSecurityGroupIngress: ['ec2:AuthorizeSecurityGroupIngress'],
  RevokeSecurityGroupIngress: ['ec2:RevokeSecurityGroupIngress'],
  RevokeSecurityGroupEgress: ['ec2:RevokeSecurityGroupEgress'],
  DeleteSecurityGroup: ['ec2:DeleteSecurityGroup'],
  DescribeNetworkInterfaces: ['ec2:DescribeNetworkInterfaces'],
  CreateTags: ['ec2:CreateTags'],
  DeleteTags: ['ec2:DeleteTags'],
  DescribeImages: ['ec2:DescribeImages'],
  DescribeInstanceTypes: ['ec2:DescribeInstanceTypes'],
  DescribeInstanceTypeOfferings: ['ec2:DescribeInstanceTypeOfferings'],
  DescribeSpotPriceHistory: ['ec2:DescribeSpotPriceHistory'],
  DescribeKeyPairs: ['ec2:DescribeKeyPairs'],
  DescribeInstances: ['ec2:DescribeInstances'],
  DescribeInstanceStatus: ['ec2:DescribeInstanceStatus'],
  GetConsoleOutput: ['ec2:GetConsoleOutput'],
  // An account's first spot instance creates the service-linked role.
  RunInstances: ['ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole', 'iam:CreateServiceLinkedRole'],
  TerminateInstances: ['ec2:TerminateInstances'],
  ModifyInstanceAttribute: ['ec2:ModifyInstanceAttribute'],
  ModifyNetworkInterfaceAttribute: ['ec2:ModifyNetworkInterfaceAttribute'],
  ModifyInstanceMetadataOptions: ['ec2:ModifyInstanceMetadataOptions'],
  DescribeVolumes: ['ec2:DescribeVolumes'],
  DescribeSnapshots: ['ec2:DescribeSnapshots'],
  CreateSnapshot: ['ec2:CreateSnapshot', 'ec2:CreateTags'],
  DeleteSnapshot: ['ec2:DeleteSnapshot'],
  GetInstanceProfile: ['iam:GetInstanceProfile'],
  DescribeAlarms: ['cloudwatch:DescribeAlarms'],
  // Service Quotas has no applied value where the default applies.
  GetServiceQuota: ['servicequotas:GetServiceQuota', 'servicequotas:GetAWSDefaultServiceQuota'],
  GetProducts: ['pricing:GetProducts'],
  DescribeLoadBalancers: ['elasticloadbalancing:DescribeLoadBalancers'],
  // The service checks the groups within the VPC, even in a shared one. An account's first load balancer
  // creates the service-linked role.
  CreateLoadBalancer: [
    'elasticloadbalancing:CreateLoadBalancer',
    'elasticloadbalancing:AddTags',
    'ec2:GetSecurityGroupsForVpc',
    'iam:CreateServiceLinkedRole',
  ],
  ModifyLoadBalancerAttributes: ['elasticloadbalancing:ModifyLoadBalancerAttributes'],
  DescribeLoadBalancerAttributes: ['elasticloadbalancing:DescribeLoadBalancerAttributes'],
  SetSecurityGroups: ['elasticloadbalancing:SetSecurityGroups', 'ec2:GetSecurityGroupsForVpc'],
  SetSubnets: ['elasticloadbalancing:SetSubnets'],
  DeleteLoadBalancer: ['elasticloadbalancing:DeleteLoadBalancer'],
  DescribeTargetGroups: ['elasticloadbalancing:DescribeTargetGroups'],
  CreateTargetGroup: ['elasticloadbalancing:CreateTargetGroup', 'elasticloadbalancing:AddTags'],
  ModifyTargetGroup: ['elasticloadbalancing:ModifyTargetGroup'],
  ModifyTargetGroupAttributes: ['elasticloadbalancing:ModifyTargetGroupAttributes'],
  DescribeTargetGroupAttributes: ['elasticloadbalancing:DescribeTargetGroupAttributes'],
  DeleteTargetGroup: ['elasticloadbalancing:DeleteTargetGroup'],
  // A listener's endpoint comes from its load balancer.
  DescribeListeners: ['elasticloadbalancing:DescribeListeners', 'elasticloadbalancing:DescribeLoadBalancers'],
  CreateListener: ['elasticloadbalancing:CreateListener', 'elasticloadbalancing:AddTags'],
  DeleteListener: ['elasticloadbalancing:DeleteListener'],
  RegisterTargets: ['elasticloadbalancing:RegisterTargets'],
  DeregisterTargets: ['elasticloadbalancing:DeregisterTargets'],
  DescribeTargetHealth: ['elasticloadbalancing:DescribeTargetHealth'],
  DescribeLoadBalancerTags: ['elasticloadbalancing:DescribeTags'],
  AddTags: ['elasticloadbalancing:AddTags'],
  RemoveTags: ['elasticloadbalancing:RemoveTags'],
  ...classicPermissions,
  GetResources: ['tag:GetResources'],
  CreateSecret: ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'],
  DeleteSecret: ['secretsmanager:DeleteSecret'],
  DescribeSecret: ['secretsmanager:DescribeSecret'],
  ListSecrets: ['secretsmanager:ListSecrets'],
  PutParameter: ['ssm:PutParameter', 'ssm:AddTagsToResource'],
  DescribeParameters: ['ssm:DescribeParameters'],
  ListTagsForResource: ['ssm:ListTagsForResource'],
  DeleteParameter: ['ssm:DeleteParameter'],
} as const satisfies Permissions<CloudAction>;

type Own<A extends CloudAction> = (typeof cloudPermissions)[A][0];

/** The service's prefix in IAM actions. */
export type Service = Own<CloudAction> extends `${infer S}:${string}` ? S : never;
type ClassicAction = keyof typeof classicPermissions;

/** A service's API, which has a client of its own. */
export type Api = Service | 'classic';
export type ActionOf<T extends Api> = {
  [A in CloudAction]: A extends ClassicAction
    ? T extends 'classic'
      ? A
      : never
    : Own<A> extends `${T}:${string}`
      ? A
      : never;
}[CloudAction];
export const apiOf = (action: CloudAction): Api =>
  Object.hasOwn(classicPermissions, action) ? 'classic' : serviceOf(action);

/** IAM actions of a call, its own first. */
export const iamActionsOf = (action: CloudAction): IamActions => cloudPermissions[action];
/** The IAM action of the call itself. */
export const iamActionOf = (action: CloudAction): string => cloudPermissions[action][0];
