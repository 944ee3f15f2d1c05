/** EC2: the resources of each mutating action, and their conditions. */
import { lists } from '../../kinds/ports/lists.ts';
import type { Resources } from '../resources.ts';
import {
  carriesOurTag,
  claims,
  givesNoProof,
  givesOurTag,
  installationTag,
  rulesOf,
  type Service,
  takesNoProof,
} from './rules.ts';
import type { Statement } from './statement.ts';

/** The prefix of resource IDs; undefined where users choose the name. */
export const prefixes: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.values(lists).flatMap(({ type, prefix }) => (type ? [[type, prefix]] : []))),
  'capacity-reservation': 'cr',
  image: 'ami',
  'ipam-pool': 'ipam-pool',
  'ipv4pool-ec2': 'ipv4pool-ec2',
  'key-pair': undefined,
  'placement-group': undefined,
};

export const ec2: Service<string> = {
  name: 'Ec2',
  rules: rulesOf('ec2'),
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

/** Instances with their parts are tagged after their creation, too. */
const machines: readonly string[] = ['instance', 'network-interface', 'volume'];
/** Nothing that Capstan makes besides is left untagged but copies of disks, which never change. */
const isOfNetwork = (type: string): boolean => !machines.includes(type) && type !== 'snapshot';

/**
 * ARNs of all resources of these types. One pattern stands for types whose names end alike, because
 * a managed policy has at most 6144 characters.
 */
const arnsOf = (types: readonly string[], resources: Resources): string[] => {
  const endsLike = (type: string, other: string) => type !== other && type.endsWith(other);
  return types
    .filter((type) => !types.some((other) => endsLike(type, other)))
    .map((type) => ec2.arnOf(types.some((other) => endsLike(other, type)) ? `*${type}` : type, resources));
};

/** Tags of EC2 resources, set on creation and changed later. */
export const ec2Tags = (allowed: readonly string[], resources: Resources): Statement[] => {
  if (!allowed.includes('ec2:CreateTags')) return [];
  const making = Object.entries(ec2.rules).filter(([action, { makes }]) => makes && allowed.includes(action));
  const made = [...new Set(making.flatMap(([, { makes }]) => makes!))].sort();
  const networks = made.filter(isOfNetwork);
  const ours = givesOurTag(resources);
  return [
    {
      sid: 'Ec2TagsMade',
      why: 'tags resources in the call that creates them',
      actions: ['ec2:CreateTags'],
      resources: arnsOf(made, resources),
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
      resources: arnsOf(networks, resources),
      conditions: givesNoProof(resources),
    },
    ...(allowed.includes('ec2:DeleteTags')
      ? [
          {
            sid: 'Ec2TagsTaken',
            why: 'removes tags from our resources, except ownership tags',
            actions: ['ec2:DeleteTags'],
            resources: arnsOf([...machines, ...networks], resources),
            conditions: takesNoProof(resources),
          },
        ]
      : []),
    {
      sid: 'Ec2TagsLeftBehind',
      why: 'claims security groups of load balancers that a deleted cluster left behind, which carry no installation’s tag',
      actions: ['ec2:CreateTags'],
      resources: [ec2.arnOf('security-group', resources)],
      conditions: claims(resources),
    },
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
