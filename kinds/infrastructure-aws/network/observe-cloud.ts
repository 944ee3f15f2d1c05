/** Describes what AWS has of a cluster: its own resources by tag, unmanaged ones by id. */
import type { Reader } from '../../../machinery/api/reconcile.ts';
import type { AvailabilityZone, Image, SecurityGroup, Vpc } from '../../ports/cloud/index.ts';
import { isTagged } from '../../ports/lists.ts';
import { type Asking, asking, listed } from '../engine/ask.ts';
import { observeType } from '../engine/observe.ts';
import type { ResourceType } from '../engine/resource.ts';
import { carries, clusterUidTag, evidence, ownedFilter, purposeTag, tagMap } from '../engine/tags.ts';
import { isUsedUp } from './address-pool.ts';
import { bastionImages } from './bastion-image.ts';
import { needsZones } from './fill.ts';
import { observeBalancing } from './observe-balancing.ts';
import { type Inventory, resources, types } from './resources/index.ts';
import type { NetworkSpec } from './schema.ts';

export interface ObservedVpc extends Vpc {
  /** Not created by Capstan: described, never changed. */
  unmanaged?: boolean;
  dnsSupport?: boolean | undefined;
  dnsHostnames?: boolean | undefined;
}
export interface CloudState extends Inventory {
  zones: AvailabilityZone[];
  /** The network that the cluster uses. */
  vpc: ObservedVpc | undefined;
  /** The IPAM pool for the network's block, by name; read only while there is no network. */
  ipamPoolId: string | undefined;
  /** The same for its IPv6 block. */
  ipv6IpamPoolId: string | undefined;
  /** The pool for the gateways' addresses is empty, and Amazon's pool may replace it. */
  addressPoolUsedUp: boolean;
  /** The default group of the cluster's own VPC, when it must be emptied. */
  defaultGroup: SecurityGroup | undefined;
  bastionImages: Image[];
}

export interface Question {
  region: string;
  spec: NetworkSpec;
  installation: string;
  clusterUid: string;
  loadBalancerNames: string[];
  classicNames: string[];
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
  | { state: 'known'; cloudState: CloudState }
  /**
   * Everything is requested and these operations are in progress; without keys nothing is left to
   * do.
   */
  | { state: 'awaited'; keys: string[] }
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string };

export const emptyInventory = (): Inventory => {
  const none: Partial<Inventory> = Object.fromEntries(Object.keys(resources).map((name) => [name, []]));
  return none as Inventory;
};

/** Everything that the plan needs, in at most three rounds of reads. */
export const observeCloud = (question: Question, read: Reader): Observation => {
  const { spec, region } = question;
  const cloud = asking(read, region);
  const assumed = isNotedAsUnmanaged(question);
  const vpcs = assumed ? [] : listed(cloud, 'vpcs', ownedFilter(question));
  const vpc = observeVpc(cloud, question, vpcs);
  const byTag = Object.entries(types).filter(([name, { list }]) => name !== 'vpcs' && list && isTagged(list));
  const found = Object.fromEntries(
    byTag.map(([name, type]) => [name, observeFor(cloud, question, type, { vpc, assumed })]),
  );
  const inventory: Inventory = { ...emptyInventory(), ...found, vpcs: vpc ? [vpc] : [] };
  const zones = needsZones(spec.network)
    ? (cloud.ask('DescribeAvailabilityZones', { Filters: [{ Name: 'state', Values: ['available'] }] })
        ?.AvailabilityZones ?? [])
    : [];
  const cloudState: CloudState = {
    ...inventory,
    ...(mayBalance(question, inventory.securityGroups) && observeBalancing(cloud, question)),
    zones,
    vpc,
    ipamPoolId: vpc ? undefined : observeIpamPool(cloud, spec.network?.vpc?.ipamPool, 'ipv4'),
    ipv6IpamPoolId: vpc ? undefined : observeIpamPool(cloud, spec.network?.vpc?.ipv6?.ipamPool, 'ipv6'),
    addressPoolUsedUp: isUsedUp(cloud, spec.network?.vpc?.elasticIpPool),
    defaultGroup: observeDefaultGroup(cloud, question, vpc),
    bastionImages: observeImages(cloud, spec, inventory),
  };
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  return reason ? { state: 'unreadable', reason } : { state: 'known', cloudState };
};

/**
 * The spec records a VPC's tags with its id. Who owns a VPC depends on its tags in EC2, read by
 * that id.
 */
export const isNotedAsUnmanaged = ({ spec, clusterUid }: Pick<Question, 'spec' | 'clusterUid'>): boolean => {
  const { id, tags } = spec.network?.vpc ?? {};
  return id !== undefined && tags !== undefined && tags[clusterUidTag] !== clusterUid;
};

/** `assumed`: the spec says that the network is unmanaged. */
const observeFor = (
  cloud: Asking,
  question: Question,
  type: ResourceType<unknown>,
  { vpc, assumed }: { vpc: ObservedVpc | undefined; assumed: boolean },
): unknown[] => {
  if (type.isPossible?.(question) === false) return [];
  if (type.list && vpc?.unmanaged && type.inUnmanagedNetwork === 'described')
    return listed(cloud, type.list, [{ Name: 'vpc-id', Values: [vpc.VpcId] }]) ?? [];
  const isUnused = type.inUnmanagedNetwork !== undefined && assumed && (vpc?.unmanaged ?? true);
  return isUnused ? [] : observeType(cloud, question, type);
};

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

const observeIpamPool = (
  cloud: Asking,
  { id, name }: { id?: string; name?: string } = {},
  family: 'ipv4' | 'ipv6',
): string | undefined => {
  if (id || !name) return id;
  const Filters = [
    { Name: 'tag:Name', Values: [name] },
    { Name: 'address-family', Values: [family] },
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

const observeImages = (cloud: Asking, { bastion }: NetworkSpec, { bastions }: Inventory): Image[] =>
  bastion?.enabled && !bastion.ami && bastions.length === 0
    ? (cloud.ask('DescribeImages', bastionImages)?.Images ?? [])
    : [];

/**
 * No load balancer exists before its security group was observed. All ELB describe calls share one
 * small rate limit.
 */
const mayBalance = ({ spec, balanced }: Question, securityGroups: readonly SecurityGroup[]): boolean =>
  balanced ||
  Boolean(spec.network?.securityGroupOverrides?.['apiserver-lb']) ||
  securityGroups.some(({ Tags }) => tagMap(Tags)[purposeTag] === 'security-group/apiserver-lb');
