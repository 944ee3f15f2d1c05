/** What exists in AWS for a cluster: its own by tag, and what somebody brought by id. */
import type { Reader } from '../../machinery/api/reconcile.ts';
import {
  type Address,
  type AvailabilityZone,
  type CarrierGateway,
  type Filter,
  homeRegion,
  type Image,
  type Instance,
  type InternetGateway,
  type Listener,
  type LoadBalancer,
  type NatGateway,
  type RouteTable,
  type SecurityGroup,
  type Subnet,
  type Tag,
  type TargetGroup,
  type Vpc,
} from '../ports/cloud.ts';
import { isUsedUp } from './address-pool.ts';
import { type Asking, asking } from './ask.ts';
import { bastionImages } from './bastion-image.ts';
import { needsCarrierGateway } from './network/carrier-gateway.ts';
import { needsZones } from './network/fill.ts';
import type { AWSClusterSpec } from './schema.ts';
import { carries, clusterUidTag, evidence, installationTag, ownedFilter, purposeTag, tagMap } from './tags.ts';

export interface ObservedVpc extends Vpc {
  /** Made by somebody else: looked at, never changed. */
  brought: boolean;
  dnsSupport: boolean | undefined;
  dnsHostnames: boolean | undefined;
}
export interface ObservedLoadBalancer extends LoadBalancer {
  tags: Tag[];
  attributes: Record<string, string>;
  listeners: Listener[];
}
export interface ObservedTargetGroup extends TargetGroup {
  tags: Tag[];
  attributes: Record<string, string>;
}
export interface Observed {
  zones: AvailabilityZone[];
  vpc: ObservedVpc | undefined;
  /** The IPAM pool that the network's block is to be taken from, looked up by name; read while there is no network. */
  ipamPoolId: string | undefined;
  subnets: Subnet[];
  internetGateway: InternetGateway | undefined;
  carrierGateways: CarrierGateway[];
  natGateways: NatGateway[];
  addresses: Address[];
  /** The pool that the gateways' addresses come from is empty, and Amazon's may be used instead. */
  addressPoolUsedUp: boolean;
  routeTables: RouteTable[];
  securityGroups: SecurityGroup[];
  /** The group that came with the cluster's own VPC, when it is to be emptied. */
  defaultGroup: SecurityGroup | undefined;
  loadBalancers: ObservedLoadBalancer[];
  targetGroups: ObservedTargetGroup[];
  bastion: Instance | undefined;
  bastionImages: Image[];
  /** VPCs and internet gateways beyond the first, for deletion. */
  surplus: { vpcs: Vpc[]; internetGateways: InternetGateway[] };
}

export interface Question {
  region: string;
  spec: AWSClusterSpec;
  installation: string;
  clusterUid: string;
  loadBalancerNames: string[];
  targetGroupNames: string[];
  deleting: boolean;
  /** Whether there may be a bastion. */
  bastion: boolean;
  /** Seen to resolve names, in a creation that goes on. */
  vpcIsRight: boolean;
}

export type Observation =
  | { state: 'known'; observed: Observed }
  /** AWS has no such region: nothing was ever made in it. */
  | { state: 'nowhere' }
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string };

/** All that the plan needs, in at most three rounds of reads. */
export const observeCloud = (question: Question, read: Reader): Observation => {
  const { spec, region, deleting } = question;
  const cloud = asking(read, region);
  const filter = { Filters: ownedFilter(question), MaxResults: 1000 };
  const assumed = !deleting && isNotedAsBrought(question);
  const vpcs = assumed ? [] : (cloud.all('DescribeVpcs', filter, (page) => page.Vpcs) ?? []);
  const vpc = observeVpc(cloud, question, vpcs);
  const own = assumed && (vpc?.brought ?? true) ? nothingOwn : observeOwn(cloud, filter);
  const { internetGateways } = own;
  const securityGroups = cloud.all('DescribeSecurityGroups', filter, (page) => page.SecurityGroups) ?? [];
  const carrierGateways =
    deleting || needsCarrierGateway(spec.network)
      ? (cloud.all('DescribeCarrierGateways', filter, (page) => page.CarrierGateways) ?? [])
      : [];
  const zones =
    !deleting && needsZones(spec.network)
      ? (cloud.ask('DescribeAvailabilityZones', { Filters: [{ Name: 'state', Values: ['available'] }] })
          ?.AvailabilityZones ?? [])
      : [];
  const addressPoolUsedUp = !deleting && isUsedUp(cloud, spec.network?.vpc?.elasticIpPool);
  const bastion = observeBastion(cloud, question);
  const balancing = observeLoadBalancing(cloud, question);
  const ipamPoolId = vpc || deleting ? undefined : observeIpamPool(cloud, spec);
  const defaultGroup = observeDefaultGroup(cloud, question, vpc);
  const brought = vpc?.brought ? observeBrought(cloud, vpc.VpcId) : undefined;
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason) return deleting ? isNowhere(region, reason, read) : { state: 'unreadable', reason };
  const [internetGateway, ...moreGateways] = internetGateways;
  return {
    state: 'known',
    observed: {
      zones,
      vpc,
      ipamPoolId,
      subnets: brought?.subnets ?? own.subnets,
      internetGateway,
      carrierGateways,
      natGateways: brought?.natGateways ?? own.natGateways,
      addresses: own.addresses,
      addressPoolUsedUp,
      routeTables: brought?.routeTables ?? own.routeTables,
      securityGroups,
      defaultGroup,
      ...balancing,
      ...bastion,
      surplus: { vpcs: vpcs.filter(({ VpcId }) => VpcId !== vpc?.VpcId), internetGateways: moreGateways },
    },
  };
};

/** The tags of a VPC are noted with its id; whose it is says the VPC itself, which is asked for by that id. */
const isNotedAsBrought = ({ spec, clusterUid }: Question): boolean => {
  const { id, tags } = spec.network?.vpc ?? {};
  return id !== undefined && tags !== undefined && tags[clusterUidTag] !== clusterUid;
};

const nothingOwn = { internetGateways: [], subnets: [], routeTables: [], natGateways: [], addresses: [] };

const observeOwn = (cloud: Asking, filter: { Filters: Filter[]; MaxResults: number }) => ({
  internetGateways: cloud.all('DescribeInternetGateways', filter, (page) => page.InternetGateways) ?? [],
  subnets: cloud.all('DescribeSubnets', filter, (page) => page.Subnets) ?? [],
  routeTables: cloud.all('DescribeRouteTables', { ...filter, MaxResults: 100 }, (page) => page.RouteTables) ?? [],
  natGateways:
    cloud.all('DescribeNatGateways', { Filter: filter.Filters, MaxResults: 1000 }, (page) => page.NatGateways) ?? [],
  addresses: cloud.ask('DescribeAddresses', { Filters: filter.Filters })?.Addresses ?? [],
});

/** Nothing can be read in a region that does not exist, and what lists the regions says so. */
const isNowhere = (region: string, reason: string, read: Reader): Observation => {
  const home = asking(read, homeRegion(region));
  const regions = home.ask('DescribeRegions', { AllRegions: true })?.Regions;
  if (home.unread()) return { state: 'unread' };
  const exists = regions?.some(({ RegionName }) => RegionName === region) ?? true;
  return exists ? { state: 'unreadable', reason } : { state: 'nowhere' };
};

const observeVpc = (cloud: Asking, question: Question, own: Vpc[]): ObservedVpc | undefined => {
  const id = question.spec.network?.vpc?.id;
  const mine = id ? own.find(({ VpcId }) => VpcId === id) : own[0];
  // While deleting, whatever carries both tags goes; a network that somebody brought is no concern then.
  if (question.deleting) return own[0] && { ...own[0], brought: false, dnsSupport: true, dnsHostnames: true };
  const vpc = mine ?? (id ? cloud.ask('DescribeVpcs', { VpcIds: [id] })?.Vpcs[0] : undefined);
  if (!vpc) return undefined;
  if (!carries(vpc.Tags, evidence({ ...question, clusterName: '', additionalTags: {} })))
    return { ...vpc, brought: true, dnsSupport: true, dnsHostnames: true };
  if (question.vpcIsRight) return { ...vpc, brought: false, dnsSupport: true, dnsHostnames: true };
  const attribute = (Attribute: 'enableDnsSupport' | 'enableDnsHostnames') =>
    cloud.ask('DescribeVpcAttribute', { VpcId: vpc.VpcId, Attribute });
  return {
    ...vpc,
    brought: false,
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

const observeDefaultGroup = (cloud: Asking, { spec, deleting }: Question, vpc: ObservedVpc | undefined) => {
  if (!spec.network?.vpc?.emptyRoutesDefaultVPCSecurityGroup || !vpc || vpc.brought || deleting) return undefined;
  const Filters = [
    { Name: 'vpc-id', Values: [vpc.VpcId] },
    { Name: 'group-name', Values: ['default'] },
  ];
  return cloud.ask('DescribeSecurityGroups', { Filters })?.SecurityGroups[0];
};

const observeBrought = (cloud: Asking, vpcId: string) => {
  const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
  return {
    subnets: cloud.all('DescribeSubnets', { Filters, MaxResults: 1000 }, (page) => page.Subnets) ?? [],
    natGateways:
      cloud.all('DescribeNatGateways', { Filter: Filters, MaxResults: 1000 }, (page) => page.NatGateways) ?? [],
    routeTables: cloud.all('DescribeRouteTables', { Filters, MaxResults: 100 }, (page) => page.RouteTables) ?? [],
  };
};

const live = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'];

/** A machine that is there, and is no cluster's node. */
export const isRunningBastion = ({ State, Tags }: Instance): boolean =>
  live.includes(State.Name) && tagMap(Tags)[purposeTag] === 'bastion';

const observeBastion = (cloud: Asking, { spec, deleting, bastion: isPossible, ...owner }: Question) => {
  if (!isPossible) return { bastion: undefined, bastionImages: [] };
  const instances =
    cloud.all(
      'DescribeInstances',
      { Filters: [...ownedFilter(owner), { Name: `tag:${purposeTag}`, Values: ['bastion'] }], MaxResults: 1000 },
      (page) => page.Reservations.flatMap(({ Instances }) => Instances),
    ) ?? [];
  const bastion = instances.find(isRunningBastion);
  const wantsImage = spec.bastion?.enabled && !spec.bastion.ami && !bastion && !deleting;
  return { bastion, bastionImages: wantsImage ? (cloud.ask('DescribeImages', bastionImages)?.Images ?? []) : [] };
};

/** By name, for names are derived; while deleting also by tag, for a second load balancer may have left the spec. */
const observeLoadBalancing = (cloud: Asking, question: Question) => {
  const tagged = question.deleting ? taggedArns(cloud, question) : [];
  const byArn = (kind: string) => tagged.filter((arn) => arn.includes(`:${kind}/`));
  const balancers = unique(
    [
      ...question.loadBalancerNames.map((name) => cloud.ask('DescribeLoadBalancers', { Names: [name] })),
      ...byArn('loadbalancer').map((arn) => cloud.ask('DescribeLoadBalancers', { LoadBalancerArns: [arn] })),
    ].flatMap((page) => page?.LoadBalancers ?? []),
    ({ LoadBalancerArn }) => LoadBalancerArn,
  );
  const groups = unique(
    [
      ...question.targetGroupNames.map((name) => cloud.ask('DescribeTargetGroups', { Names: [name] })),
      ...byArn('targetgroup').map((arn) => cloud.ask('DescribeTargetGroups', { TargetGroupArns: [arn] })),
    ].flatMap((page) => page?.TargetGroups ?? []),
    ({ TargetGroupArn }) => TargetGroupArn,
  );
  const arns = [...balancers.map((one) => one.LoadBalancerArn), ...groups.map((one) => one.TargetGroupArn)];
  const tags = new Map(
    arns.map((arn) => [
      arn,
      cloud
        .ask('DescribeLoadBalancerTags', { ResourceArns: [arn] })
        ?.TagDescriptions.find(({ ResourceArn }) => ResourceArn === arn)?.Tags ?? [],
    ]),
  );
  const loadBalancers: ObservedLoadBalancer[] = balancers.map((one) => ({
    ...one,
    tags: tags.get(one.LoadBalancerArn) ?? [],
    attributes: tagMap(
      cloud.ask('DescribeLoadBalancerAttributes', { LoadBalancerArn: one.LoadBalancerArn })?.Attributes ?? [],
    ),
    listeners:
      cloud.all('DescribeListeners', { LoadBalancerArn: one.LoadBalancerArn }, (page) => page.Listeners, 'Marker') ??
      [],
  }));
  // A load balancer that was asked for and is not there holds no target group, whatever this one still says.
  const isGone = (arn: string) =>
    question.loadBalancerNames.includes(arn.split('/')[2] ?? '') &&
    balancers.every(({ LoadBalancerArn }) => LoadBalancerArn !== arn);
  const targetGroups: ObservedTargetGroup[] = groups.map((one) => ({
    ...one,
    LoadBalancerArns: one.LoadBalancerArns.filter((arn) => !isGone(arn)),
    tags: tags.get(one.TargetGroupArn) ?? [],
    attributes: tagMap(
      cloud.ask('DescribeTargetGroupAttributes', { TargetGroupArn: one.TargetGroupArn })?.Attributes ?? [],
    ),
  }));
  return { loadBalancers, targetGroups };
};

const taggedArns = (cloud: Asking, { installation, clusterUid }: Question): string[] =>
  cloud.all(
    'GetResources',
    {
      TagFilters: [
        { Key: installationTag, Values: [installation] },
        { Key: clusterUidTag, Values: [clusterUid] },
      ],
      ResourceTypeFilters: ['elasticloadbalancing:loadbalancer', 'elasticloadbalancing:targetgroup'],
    },
    (page) => page.ResourceTagMappingList.map(({ ResourceARN }) => ResourceARN),
    'PaginationToken',
  ) ?? [];

const unique = <T>(all: T[], key: (one: T) => string): T[] => [...new Map(all.map((one) => [key(one), one])).values()];
