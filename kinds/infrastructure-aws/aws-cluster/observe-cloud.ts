/** What exists in AWS for a cluster: its own resources by tag, unmanaged ones by id. */
import type { Reader } from '../../../machinery/api/reconcile.ts';
import type {
  Address,
  AvailabilityZone,
  CarrierGateway,
  Image,
  Instance,
  InternetGateway,
  Listener,
  LoadBalancer,
  NatGateway,
  RouteTable,
  SecurityGroup,
  Subnet,
  Tag,
  TargetGroup,
  Vpc,
} from '../../ports/cloud.ts';
import { isUsedUp } from './address-pool.ts';
import { type Asking, asking } from './ask.ts';
import { bastionImages } from './bastion-image.ts';
import { needsZones } from './network/fill.ts';
import { usedGateway } from './network/internet-gateway.ts';
import { needsCarrierGateway } from './network/wavelength.ts';
import type { AWSClusterSpec } from './schema.ts';
import { carries, clusterUidTag, evidence, installationTag, ownedFilter, purposeTag, tagMap } from './tags.ts';

export interface ObservedVpc extends Vpc {
  /** Not created by Capstan: described, never changed. */
  unmanaged: boolean;
  dnsSupport: boolean | undefined;
  dnsHostnames: boolean | undefined;
}
/**
 * The tags of listeners and target groups are present only when the question asks for them: see
 * `Question.tagged`.
 */
export interface ObservedLoadBalancer extends LoadBalancer {
  tags: Tag[];
  attributes: Record<string, string>;
  listeners: (Listener & { tags: Tag[] })[];
}
export interface ObservedTargetGroup extends TargetGroup {
  attributes: Record<string, string>;
  tags: Tag[];
}
export interface Observed {
  zones: AvailabilityZone[];
  vpc: ObservedVpc | undefined;
  /** The IPAM pool for the network's block, by name; read only while there is no network. */
  ipamPoolId: string | undefined;
  subnets: Subnet[];
  /** The internet gateway that the network uses, or is to use. */
  internetGateway: InternetGateway | undefined;
  internetGateways: InternetGateway[];
  carrierGateways: CarrierGateway[];
  natGateways: NatGateway[];
  addresses: Address[];
  /** The pool for the gateways' addresses is empty, and Amazon's pool may replace it. */
  addressPoolUsedUp: boolean;
  routeTables: RouteTable[];
  securityGroups: SecurityGroup[];
  /** The default group of the cluster's own VPC, when it must be emptied. */
  defaultGroup: SecurityGroup | undefined;
  loadBalancers: ObservedLoadBalancer[];
  targetGroups: ObservedTargetGroup[];
  bastion: Instance | undefined;
  bastionImages: Image[];
}

export interface Question {
  region: string;
  spec: AWSClusterSpec;
  installation: string;
  clusterUid: string;
  loadBalancerNames: string[];
  targetGroupNames: string[];
  /** Whether a bastion may exist. */
  bastion: boolean;
  /** Whether a load balancer was observed before. */
  balanced: boolean;
  /** Whether the tags of target groups and listeners matter. */
  tagged: boolean;
  /** DNS attributes were observed to be right earlier in this creation. */
  vpcIsRight: boolean;
}

export type Observation =
  | { state: 'known'; observed: Observed }
  /**
   * Everything is requested and these operations are in progress; without keys nothing is left to
   * do.
   */
  | { state: 'awaited'; keys: string[] }
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string };

/** Everything that the plan needs, in at most three rounds of reads. */
export const observeCloud = (question: Question, read: Reader): Observation => {
  const { spec, region } = question;
  const cloud = asking(read, region);
  const filter = { Filters: ownedFilter(question), MaxResults: 1000 };
  const assumed = isNotedAsUnmanaged(question);
  const vpcs = assumed ? [] : cloud.all('DescribeVpcs', filter, (page) => page.Vpcs);
  const vpc = observeVpc(cloud, question, vpcs);
  const own = assumed && (vpc?.unmanaged ?? true) ? nothingOwn : observeOwn(cloud, question);
  const securityGroups = observeGroups(cloud, question);
  const carrierGateways = needsCarrierGateway(spec.network)
    ? (cloud.all('DescribeCarrierGateways', filter, (page) => page.CarrierGateways) ?? [])
    : [];
  const zones = needsZones(spec.network)
    ? (cloud.ask('DescribeAvailabilityZones', { Filters: [{ Name: 'state', Values: ['available'] }] })
        ?.AvailabilityZones ?? [])
    : [];
  const addressPoolUsedUp = isUsedUp(cloud, spec.network?.vpc?.elasticIpPool);
  const bastion = observeBastion(cloud, question);
  const balancing = mayBalance(question, securityGroups) ? observeLoadBalancing(cloud, question) : nothingBalancing;
  const ipamPoolId = vpc ? undefined : observeIpamPool(cloud, spec);
  const defaultGroup = observeDefaultGroup(cloud, question, vpc);
  const unmanaged = vpc?.unmanaged ? observeUnmanaged(cloud, vpc.VpcId) : undefined;
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason) return { state: 'unreadable', reason };
  return {
    state: 'known',
    observed: {
      zones,
      vpc,
      ipamPoolId,
      subnets: unmanaged?.subnets ?? own.subnets,
      internetGateway: usedGateway(own.internetGateways, vpc?.VpcId),
      internetGateways: own.internetGateways,
      carrierGateways,
      natGateways: unmanaged?.natGateways ?? own.natGateways,
      addresses: own.addresses,
      addressPoolUsedUp,
      routeTables: unmanaged?.routeTables ?? own.routeTables,
      securityGroups,
      defaultGroup,
      ...balancing,
      ...bastion,
    },
  };
};

/**
 * The spec records a VPC's tags with its id. Who owns a VPC depends on its tags in EC2, read by
 * that id.
 */
export const isNotedAsUnmanaged = ({ spec, clusterUid }: Pick<Question, 'spec' | 'clusterUid'>): boolean => {
  const { id, tags } = spec.network?.vpc ?? {};
  return id !== undefined && tags !== undefined && tags[clusterUidTag] !== clusterUid;
};

type Whose = Pick<Question, 'installation' | 'clusterUid'>;

const nothingOwn = { internetGateways: [], subnets: [], routeTables: [], natGateways: [], addresses: [] };

export const observeGateways = (cloud: Asking, whose: Whose): NatGateway[] =>
  cloud.all('DescribeNatGateways', { Filter: ownedFilter(whose), MaxResults: 1000 }, (page) => page.NatGateways) ?? [];

export const observeAddresses = (cloud: Asking, whose: Whose): Address[] =>
  cloud.ask('DescribeAddresses', { Filters: ownedFilter(whose) })?.Addresses ?? [];

export const observeGroups = (cloud: Asking, whose: Whose): SecurityGroup[] =>
  cloud.all(
    'DescribeSecurityGroups',
    { Filters: ownedFilter(whose), MaxResults: 1000 },
    (page) => page.SecurityGroups,
  ) ?? [];

/** Addresses, subnets, route tables and gateways of a network. */
export const observePlaces = (cloud: Asking, whose: Whose) => {
  const filter = { Filters: ownedFilter(whose), MaxResults: 1000 };
  return {
    internetGateways: cloud.all('DescribeInternetGateways', filter, (page) => page.InternetGateways) ?? [],
    subnets: cloud.all('DescribeSubnets', filter, (page) => page.Subnets) ?? [],
    routeTables: cloud.all('DescribeRouteTables', { ...filter, MaxResults: 100 }, (page) => page.RouteTables) ?? [],
  };
};

/** Tags by ARN. The tagging API may list deleted resources. */
export const taggedBalancing = (cloud: Asking, { installation, clusterUid }: Whose): Map<string, Tag[]> =>
  new Map(
    cloud.all(
      'GetResources',
      {
        TagFilters: [
          { Key: installationTag, Values: [installation] },
          { Key: clusterUidTag, Values: [clusterUid] },
        ],
        ResourceTypeFilters: ['elasticloadbalancing:loadbalancer', 'elasticloadbalancing:targetgroup'],
      },
      (page) => page.ResourceTagMappingList.map(({ ResourceARN, Tags }) => [ResourceARN, Tags] as const),
      'PaginationToken',
    ) ?? [],
  );

/** Of load balancers and target groups with these ARNs, those that exist. */
export const balancingOf = (cloud: Asking, arns: readonly string[]) => {
  const of = (kind: string) => arns.filter((arn) => arn.includes(`:${kind}/`));
  return {
    balancers: of('loadbalancer').flatMap(
      (arn) => cloud.ask('DescribeLoadBalancers', { LoadBalancerArns: [arn] })?.LoadBalancers ?? [],
    ),
    groups: of('targetgroup').flatMap(
      (arn) => cloud.ask('DescribeTargetGroups', { TargetGroupArns: [arn] })?.TargetGroups ?? [],
    ),
  };
};

const observeOwn = (cloud: Asking, whose: Whose) => ({
  ...observePlaces(cloud, whose),
  natGateways: observeGateways(cloud, whose),
  addresses: observeAddresses(cloud, whose),
});

/** `own`: undefined while unread. */
const observeVpc = (cloud: Asking, question: Question, own: Vpc[] | undefined): ObservedVpc | undefined => {
  if (!own) return undefined;
  const id = question.spec.network?.vpc?.id;
  const mine = id ? own.find(({ VpcId }) => VpcId === id) : own[0];
  const vpc = mine ?? (id ? cloud.ask('DescribeVpcs', { VpcIds: [id] })?.Vpcs[0] : undefined);
  if (!vpc) return undefined;
  if (!carries(vpc.Tags, evidence({ ...question, clusterName: '', additionalTags: {} })))
    return { ...vpc, unmanaged: true, dnsSupport: true, dnsHostnames: true };
  if (question.vpcIsRight) return { ...vpc, unmanaged: false, dnsSupport: true, dnsHostnames: true };
  const attribute = (Attribute: 'enableDnsSupport' | 'enableDnsHostnames') =>
    cloud.ask('DescribeVpcAttribute', { VpcId: vpc.VpcId, Attribute });
  return {
    ...vpc,
    unmanaged: false,
    dnsSupport: attribute('enableDnsSupport')?.EnableDnsSupport?.Value,
    dnsHostnames: attribute('enableDnsHostnames')?.EnableDnsHostnames?.Value,
  };
};

const observeIpamPool = (cloud: Asking, { network }: AWSClusterSpec): string | undefined => {
  const { id, name } = network?.vpc?.ipamPool ?? {};
  if (id || !name) return id;
  const Filters = [
    { Name: 'tag:Name', Values: [name] },
    { Name: 'address-family', Values: ['ipv4'] },
  ];
  return cloud.ask('DescribeIpamPools', { Filters })?.IpamPools[0]?.IpamPoolId;
};

const observeDefaultGroup = (cloud: Asking, { spec }: Question, vpc: ObservedVpc | undefined) => {
  if (!spec.network?.vpc?.emptyRoutesDefaultVPCSecurityGroup || !vpc || vpc.unmanaged) return undefined;
  const Filters = [
    { Name: 'vpc-id', Values: [vpc.VpcId] },
    { Name: 'group-name', Values: ['default'] },
  ];
  return cloud.ask('DescribeSecurityGroups', { Filters })?.SecurityGroups[0];
};

const observeUnmanaged = (cloud: Asking, vpcId: string) => {
  const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
  return {
    subnets: cloud.all('DescribeSubnets', { Filters, MaxResults: 1000 }, (page) => page.Subnets) ?? [],
    natGateways:
      cloud.all('DescribeNatGateways', { Filter: Filters, MaxResults: 1000 }, (page) => page.NatGateways) ?? [],
    routeTables: cloud.all('DescribeRouteTables', { Filters, MaxResults: 100 }, (page) => page.RouteTables) ?? [],
  };
};

const live = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'];

/** A running instance that is not a node of a cluster. */
export const isRunningBastion = ({ State, Tags }: Instance): boolean =>
  live.includes(State.Name) && tagMap(Tags)[purposeTag] === 'bastion';

export const observeBastionHost = (cloud: Asking, whose: Whose): Instance | undefined =>
  cloud
    .all(
      'DescribeInstances',
      { Filters: [...ownedFilter(whose), { Name: `tag:${purposeTag}`, Values: ['bastion'] }], MaxResults: 1000 },
      (page) => page.Reservations.flatMap(({ Instances }) => Instances),
    )
    ?.find(isRunningBastion);

const observeBastion = (cloud: Asking, question: Question) => {
  const { spec, bastion: isPossible } = question;
  if (!isPossible) return { bastion: undefined, bastionImages: [] };
  const bastion = observeBastionHost(cloud, question);
  const wantsImage = spec.bastion?.enabled && !spec.bastion.ami && !bastion;
  return { bastion, bastionImages: wantsImage ? (cloud.ask('DescribeImages', bastionImages)?.Images ?? []) : [] };
};

const nothingBalancing = { loadBalancers: [], targetGroups: [] };

/**
 * No load balancer exists before its security group was observed. All ELB describe calls share one
 * small rate limit.
 */
const mayBalance = ({ spec, balanced }: Question, securityGroups: readonly SecurityGroup[]): boolean =>
  balanced ||
  Boolean(spec.network?.securityGroupOverrides?.['apiserver-lb']) ||
  securityGroups.some(({ Tags }) => tagMap(Tags)[purposeTag] === 'security-group/apiserver-lb');

export const tagsOfBalancing = (cloud: Asking, arn: string): Tag[] =>
  cloud
    .ask('DescribeLoadBalancerTags', { ResourceArns: [arn] })
    ?.TagDescriptions.find(({ ResourceArn }) => ResourceArn === arn)?.Tags ?? [];

/** By name, because names are derived from the cluster. */
export const observeNamed = (
  cloud: Asking,
  { loadBalancerNames, targetGroupNames }: Pick<Question, 'loadBalancerNames' | 'targetGroupNames'>,
) => ({
  balancers: loadBalancerNames.flatMap(
    (name) => cloud.ask('DescribeLoadBalancers', { Names: [name] })?.LoadBalancers ?? [],
  ),
  groups: targetGroupNames.flatMap((name) => cloud.ask('DescribeTargetGroups', { Names: [name] })?.TargetGroups ?? []),
});

/** The number of resources whose tags one call returns. */
const tagsPerCall = 20;

/** Tags by ARN. */
const tagsOfAll = (cloud: Asking, arns: readonly string[]): Map<string, Tag[]> => {
  const chunks = Array.from({ length: Math.ceil(arns.length / tagsPerCall) }, (_, n) =>
    arns.slice(n * tagsPerCall, (n + 1) * tagsPerCall),
  );
  const described = chunks.flatMap(
    (ResourceArns) => cloud.ask('DescribeLoadBalancerTags', { ResourceArns })?.TagDescriptions ?? [],
  );
  return new Map(described.map(({ ResourceArn, Tags }) => [ResourceArn, Tags]));
};

const observeLoadBalancing = (cloud: Asking, question: Question) => {
  const { balancers, groups } = observeNamed(cloud, question);
  const standing = balancers.map((balancer) => {
    const { LoadBalancerArn } = balancer;
    const listeners = cloud.all('DescribeListeners', { LoadBalancerArn }, (page) => page.Listeners, 'Marker');
    return { balancer, listeners: listeners ?? [], isRead: listeners !== undefined };
  });
  const parts = [
    ...standing.flatMap(({ listeners }) => listeners.map(({ ListenerArn }) => ListenerArn)),
    ...groups.map(({ TargetGroupArn }) => TargetGroupArn),
  ];
  const isAsked = question.tagged && standing.every(({ isRead }) => isRead);
  const described = isAsked ? tagsOfAll(cloud, parts) : new Map<string, Tag[]>();
  const loadBalancers: ObservedLoadBalancer[] = standing.map(({ balancer, listeners }) => ({
    ...balancer,
    tags: tagsOfBalancing(cloud, balancer.LoadBalancerArn),
    attributes: tagMap(
      cloud.ask('DescribeLoadBalancerAttributes', { LoadBalancerArn: balancer.LoadBalancerArn })?.Attributes ?? [],
    ),
    listeners: listeners.map((one) => ({ ...one, tags: described.get(one.ListenerArn) ?? [] })),
  }));
  const targetGroups: ObservedTargetGroup[] = groups.map((one) => ({
    ...one,
    tags: described.get(one.TargetGroupArn) ?? [],
    attributes: tagMap(
      cloud.ask('DescribeTargetGroupAttributes', { TargetGroupArn: one.TargetGroupArn })?.Attributes ?? [],
    ),
  }));
  return { loadBalancers, targetGroups };
};
