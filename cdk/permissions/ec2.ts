/** EC2: the resources of each mutating action, and their conditions. */
import type { Resources } from '../resources.ts';
import {
  carriesOurTag,
  givesNoProof,
  givesOurTag,
  installationTag,
  type Rules,
  type Service,
  takesNoProof,
} from './rules.ts';
import type { Statement } from './statement.ts';

/** The prefix of resource IDs; undefined where users choose the name. */
const prefixes = {
  'carrier-gateway': 'cagw',
  'elastic-ip': 'eipalloc',
  image: 'ami',
  instance: 'i',
  'internet-gateway': 'igw',
  'ipam-pool': 'ipam-pool',
  'ipv4pool-ec2': 'ipv4pool-ec2',
  'key-pair': undefined,
  natgateway: 'nat',
  'network-interface': 'eni',
  'placement-group': undefined,
  'route-table': 'rtb',
  'security-group': 'sg',
  snapshot: 'snap',
  subnet: 'subnet',
  volume: 'vol',
  vpc: 'vpc',
} as const;
type Type = keyof typeof prefixes;

const rules = {
  'ec2:CreateVpc': { makes: ['vpc'], uses: ['ipam-pool'] },
  'ec2:ModifyVpcAttribute': { ours: ['vpc'] },
  'ec2:AssociateVpcCidrBlock': { ours: ['vpc'] },
  'ec2:DeleteVpc': { ours: ['vpc'] },
  'ec2:CreateSubnet': { makes: ['subnet'], ours: ['vpc'] },
  'ec2:ModifySubnetAttribute': { ours: ['subnet'] },
  'ec2:DeleteSubnet': { ours: ['subnet'] },
  'ec2:CreateInternetGateway': { makes: ['internet-gateway'] },
  'ec2:AttachInternetGateway': { ours: ['internet-gateway', 'vpc'] },
  'ec2:DetachInternetGateway': { ours: ['internet-gateway', 'vpc'] },
  'ec2:DeleteInternetGateway': { ours: ['internet-gateway'] },
  'ec2:CreateCarrierGateway': { makes: ['carrier-gateway'], ours: ['vpc'] },
  'ec2:DeleteCarrierGateway': { ours: ['carrier-gateway'] },
  'ec2:CreateNatGateway': { makes: ['natgateway'], ours: ['elastic-ip', 'subnet', 'vpc'] },
  'ec2:DeleteNatGateway': { ours: ['natgateway'] },
  'ec2:AllocateAddress': { makes: ['elastic-ip'], uses: ['ipv4pool-ec2'] },
  'ec2:AssociateAddress': { ours: ['elastic-ip', 'instance', 'network-interface'] },
  'ec2:ReleaseAddress': { ours: ['elastic-ip'] },
  'ec2:CreateRouteTable': { makes: ['route-table'], ours: ['vpc'] },
  'ec2:CreateRoute': { ours: ['route-table'] },
  'ec2:ReplaceRoute': { ours: ['route-table'] },
  'ec2:AssociateRouteTable': { ours: ['route-table', 'subnet'] },
  // A user may have associated the user's own subnet with Capstan's route table, which cannot be deleted with it.
  'ec2:DisassociateRouteTable': { ours: ['route-table'], uses: ['subnet'] },
  'ec2:DeleteRouteTable': { ours: ['route-table'] },
  'ec2:CreateSecurityGroup': { makes: ['security-group'], uses: ['vpc'] },
  'ec2:AuthorizeSecurityGroupIngress': { ours: ['security-group'] },
  'ec2:RevokeSecurityGroupIngress': { ours: ['security-group'] },
  'ec2:RevokeSecurityGroupEgress': { ours: ['security-group'] },
  'ec2:DeleteSecurityGroup': { ours: ['security-group'] },
  'ec2:RunInstances': {
    makes: ['instance', 'volume', 'network-interface'],
    uses: ['image', 'key-pair', 'network-interface', 'placement-group', 'security-group', 'subnet'],
  },
  'ec2:CreateSnapshot': { makes: ['snapshot'], ours: ['volume'] },
  'ec2:DeleteSnapshot': { ours: ['snapshot'] },
  'ec2:GetConsoleOutput': { ours: ['instance'] },
  'ec2:TerminateInstances': { ours: ['instance'] },
  'ec2:ModifyInstanceMetadataOptions': { ours: ['instance'] },
  'ec2:ModifyNetworkInterfaceAttribute': {
    ours: ['instance', 'network-interface'],
    uses: ['security-group', 'subnet'],
  },
} as const satisfies Rules<Type>;

export const ec2: Service<Type> = {
  name: 'Ec2',
  rules,
  // ARNs of snapshots name no account.
  arnOf: (type, { partition, account }) => `arn:${partition}:ec2:*:${type === 'snapshot' ? '' : account}:${type}/*`,
  // Shared networks and images belong to another account, and public images to none. A new resource has no ID yet, so this
  // pattern never covers it.
  usableArnOf: (type, { partition, account }) => {
    const prefix = prefixes[type];
    return prefix === undefined
      ? `arn:${partition}:ec2:*:${account}:${type}/*`
      : `arn:${partition}:ec2:*:${type === 'image' ? '' : '*'}:${type}/${prefix}-*`;
  },
};

/** The tag keys by which the in-cluster cloud provider finds subnets. */
const subnetKeys = ['kubernetes.io/cluster/*', 'kubernetes.io/role/elb', 'kubernetes.io/role/internal-elb'];

/** Resources that are tagged after their creation, too, besides users' subnets: instances with their parts, and networks. */
const machines: readonly Type[] = ['instance', 'network-interface', 'volume'];
const networks: readonly Type[] = [
  'carrier-gateway',
  'elastic-ip',
  'internet-gateway',
  'natgateway',
  'route-table',
  'security-group',
  'subnet',
  'vpc',
];

/** Tags of EC2 resources, set on creation and changed later. */
export const ec2Tags = (allowed: readonly string[], resources: Resources): Statement[] => {
  if (!allowed.includes('ec2:CreateTags')) return [];
  const making = Object.entries(ec2.rules).filter(([action, { makes }]) => makes && allowed.includes(action));
  const made = [...new Set(making.flatMap(([, { makes }]) => makes!))].sort();
  const ours = givesOurTag(resources);
  return [
    {
      sid: 'Ec2TagsMade',
      why: 'tags resources in the call that creates them',
      actions: ['ec2:CreateTags'],
      resources: made.map((type) => ec2.arnOf(type, resources)),
      conditions: {
        StringEquals: { 'ec2:CreateAction': making.map(([action]) => action.split(':')[1]!), ...ours.StringEquals },
      },
    },
    {
      sid: 'Ec2TagsMachines',
      why: 'restores tags of our instances; cannot set another installation’s tag',
      actions: ['ec2:CreateTags'],
      resources: machines.map((type) => ec2.arnOf(type, resources)),
      conditions: {
        ...carriesOurTag(resources),
        StringEqualsIfExists: { [`aws:RequestTag/${installationTag}`]: resources.installation },
      },
    },
    {
      sid: 'Ec2TagsNetworks',
      why: 'tags our network resources, except with ownership tags',
      actions: ['ec2:CreateTags'],
      resources: networks.map((type) => ec2.arnOf(type, resources)),
      conditions: givesNoProof(resources),
    },
    ...(allowed.includes('ec2:DeleteTags')
      ? [
          {
            sid: 'Ec2TagsTaken',
            why: 'removes tags from our resources, except ownership tags',
            actions: ['ec2:DeleteTags'],
            resources: [...machines, ...networks].map((type) => ec2.arnOf(type, resources)),
            conditions: takesNoProof(resources),
          },
        ]
      : []),
    {
      sid: 'Ec2TagsBroughtSubnets',
      why: 'sets only the tags by which a cloud provider finds an unmanaged subnet, which lacks our tag',
      actions: ['ec2:CreateTags'],
      resources: [ec2.arnOf('subnet', resources)],
      conditions: {
        'ForAllValues:StringLike': { 'aws:TagKeys': subnetKeys },
        StringEqualsIfExists: Object.fromEntries(subnetKeys.slice(1).map((key) => [`aws:RequestTag/${key}`, '1'])),
        Null: { 'aws:TagKeys': 'false' },
      },
    },
  ];
};

/** CreateVpc cannot tag the default group of the VPC that it creates. */
export const defaultGroups = (allowed: readonly string[], resources: Resources): Statement[] => {
  const actions = ['ec2:RevokeSecurityGroupIngress', 'ec2:RevokeSecurityGroupEgress'];
  if (!resources.emptyDefaultGroups || !actions.every((action) => allowed.includes(action))) return [];
  return [
    {
      sid: 'Ec2EmptiesDefaultGroups',
      why: 'enabled by the deployment: default groups carry no tags',
      actions,
      resources: [`arn:${resources.partition}:ec2:*:${resources.account}:security-group/sg-*`],
      conditions: { Null: { [`aws:ResourceTag/${installationTag}`]: 'true' } },
    },
  ];
};

/** A spot instance comes with a request, which Capstan leaves untagged: it ends with its instance. */
export const spotRequests = (allowed: readonly string[], { partition, account }: Resources): Statement[] =>
  allowed.includes('ec2:RunInstances')
    ? [
        {
          sid: 'Ec2RequestsSpot',
          why: 'the request behind a spot instance, which itself needs our tag',
          actions: ['ec2:RunInstances'],
          resources: [`arn:${partition}:ec2:*:${account}:spot-instances-request/*`],
        },
      ]
    : [];
