/**
 * What is left in AWS of a cluster in deletion: its own resources by tag, whatever its spec says.
 */
import type { Reader } from '../../../machinery/api/reconcile.ts';
import {
  type Address,
  type CarrierGateway,
  homeRegion,
  type Instance,
  type InternetGateway,
  type LoadBalancer,
  type NatGateway,
  type RouteTable,
  type SecurityGroup,
  type Subnet,
  type Tag,
  type TargetGroup,
  type Vpc,
} from '../../ports/cloud.ts';
import { type Asking, asking } from './ask.ts';
import {
  balancingOf,
  isNotedAsUnmanaged,
  observeAddresses,
  observeBastionHost,
  observeGateways,
  observeGroups,
  observeNamed,
  observePlaces,
  type Question,
  taggedBalancing,
  tagsOfBalancing,
} from './observe-cloud.ts';
import { isPassing } from './step.ts';
import { carries, evidence, type Owner, ownedFilter } from './tags.ts';

export interface Remains {
  bastion: Instance | undefined;
  loadBalancers: (LoadBalancer & { tags: Tag[] })[];
  targetGroups: (TargetGroup & { tags: Tag[] })[];
  securityGroups: SecurityGroup[];
  natGateways: NatGateway[];
  addresses: Address[];
  vpcs: Vpc[];
  subnets: Subnet[];
  routeTables: RouteTable[];
  internetGateways: InternetGateway[];
  carrierGateways: CarrierGateway[];
  /**
   * False when some reads were skipped because something that must go first still exists; an empty
   * list then proves nothing.
   */
  isWhole: boolean;
}

export type RemainsObservation =
  | { state: 'known'; remains: Remains }
  /** AWS has no such region, so nothing was ever created in it. */
  | { state: 'nowhere' }
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string };

/** In at most three rounds of reads. */
export const observeRemains = (question: Question, owner: Owner, read: Reader): RemainsObservation => {
  const { region } = question;
  const cloud = asking(read, region);
  const isUnmanaged = isNotedAsUnmanaged(question);
  const first = {
    ...observeBalancing(cloud, question, owner),
    securityGroups: observeGroups(cloud, question),
    ...(isUnmanaged ? { natGateways: [], addresses: [] } : observeEgress(cloud, question)),
    bastion: question.bastion ? observeBastionHost(cloud, question) : undefined,
  };
  const isWhole = !cloud.unread() && !cloud.unreadable() && isNothingBefore(first, isUnmanaged, owner);
  const remains: Remains = {
    ...first,
    ...(isWhole ? observeBehind(cloud, question) : nothingBehind),
    ...(isWhole && isUnmanaged && observeEgress(cloud, question)),
    ...(isWhole && !question.bastion && { bastion: observeBastionHost(cloud, question) }),
    isWhole,
  };
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (!reason) return { state: 'known', remains };
  return isPassing(reason) ? { state: 'unreadable', reason } : isNowhere(region, reason, read);
};

type First = Pick<
  Remains,
  'bastion' | 'loadBalancers' | 'targetGroups' | 'securityGroups' | 'natGateways' | 'addresses'
>;

/**
 * Whether nothing is left that must go before the network. An unmanaged network holds nothing of
 * the cluster's to wait for.
 */
const isNothingBefore = (
  { bastion, loadBalancers, targetGroups, securityGroups, natGateways }: First,
  isUnmanaged: boolean,
  owner: Owner,
): boolean =>
  !bastion &&
  ![...loadBalancers, ...targetGroups].some(({ tags }) => carries(tags, evidence(owner))) &&
  natGateways.every(({ State }) => State === 'deleted') &&
  !(isUnmanaged && securityGroups.length > 0);

const observeEgress = (cloud: Asking, question: Question) => ({
  natGateways: observeGateways(cloud, question),
  addresses: observeAddresses(cloud, question),
});

const nothingBehind = { vpcs: [], subnets: [], routeTables: [], internetGateways: [], carrierGateways: [] };

const observeBehind = (cloud: Asking, question: Question) => {
  const filter = { Filters: ownedFilter(question), MaxResults: 1000 };
  return {
    ...observePlaces(cloud, question),
    vpcs: cloud.all('DescribeVpcs', filter, (page) => page.Vpcs) ?? [],
    carrierGateways: cloud.all('DescribeCarrierGateways', filter, (page) => page.CarrierGateways) ?? [],
  };
};

/**
 * Every read in a region that does not exist fails; DescribeRegions tells that apart from an
 * outage.
 */
const isNowhere = (region: string, reason: string, read: Reader): RemainsObservation => {
  const home = asking(read, homeRegion(region));
  const regions = home.ask('DescribeRegions', { AllRegions: true })?.Regions;
  if (home.unread()) return { state: 'unread' };
  const exists = regions?.some(({ RegionName }) => RegionName === region) ?? true;
  return exists ? { state: 'unreadable', reason } : { state: 'nowhere' };
};

/** `arn:…:loadbalancer/net/NAME/ID` or `arn:…:targetgroup/NAME/ID`. */
const nameIn = (arn: string): string => arn.split('/').at(-2) ?? '';

/** By name and by tag: the spec may no longer name a second load balancer. */
const observeBalancing = (cloud: Asking, question: Question, owner: Owner) => {
  const tagged = taggedBalancing(cloud, owner);
  const names = new Set([...question.loadBalancerNames, ...question.targetGroupNames]);
  const named = observeNamed(cloud, question);
  const unnamed = balancingOf(
    cloud,
    [...tagged.keys()].filter((arn) => !names.has(nameIn(arn))),
  );
  const balancers = [...named.balancers, ...unnamed.balancers];
  const groups = [...named.groups, ...unnamed.groups];
  const tagsOf = (arn: string) => tagged.get(arn) ?? tagsOfBalancing(cloud, arn);
  // A deleted load balancer holds no target group, even if the target group still names it.
  const isGone = (arn: string) =>
    question.loadBalancerNames.includes(nameIn(arn)) &&
    balancers.every(({ LoadBalancerArn }) => LoadBalancerArn !== arn);
  return {
    loadBalancers: balancers.map((one) => ({ ...one, tags: tagsOf(one.LoadBalancerArn) })),
    targetGroups: groups.map((one) => ({
      ...one,
      LoadBalancerArns: one.LoadBalancerArns.filter((arn) => !isGone(arn)),
      tags: tagsOf(one.TargetGroupArn),
    })),
  };
};
