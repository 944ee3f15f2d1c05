/**
 * What is left in AWS of a cluster in deletion: its own resources by tag, whatever its spec says.
 */
import type { Reader } from '../../../machinery/api/reconcile.ts';
import { homeRegion } from '../../ports/cloud.ts';
import { isTagged } from '../../ports/lists.ts';
import { type Asking, asking } from './ask.ts';
import { balancingOf, observeNamed, taggedBalancing, tagsOfBalancing } from './observe-balancing.ts';
import { emptyInventory, isNotedAsUnmanaged, observeType, type Question } from './observe-cloud.ts';
import { type Inventory, types } from './resources/index.ts';
import { isPassing } from './step.ts';
import type { Owner } from './tags.ts';
import { standing } from './teardown.ts';

export interface Remains {
  found: Inventory;
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
  const about = { isUnmanaged: isNotedAsUnmanaged(question), mayHaveBastion: question.bastion };
  const byTag = Object.entries(types).filter(([, { list }]) => list && isTagged(list));
  const observed = (isLast: boolean) =>
    byTag
      .filter(([, type]) => (type.isLast?.(about) ?? false) === isLast)
      .map(([name, type]) => [name, observeType(cloud, question, type)]);
  const first: Inventory = {
    ...emptyInventory(),
    ...observeBalancing(cloud, question, owner),
    ...Object.fromEntries(observed(false)),
  };
  const isAwaited = Object.entries(types).some(
    ([name, type]) => type.isSlow?.(about) && standing(owner, name, type, first).length > 0,
  );
  const isWhole = !cloud.unread() && !cloud.unreadable() && !isAwaited;
  const found: Inventory = { ...first, ...(isWhole && Object.fromEntries(observed(true))) };
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (!reason) return { state: 'known', remains: { found, isWhole } };
  return isPassing(reason) ? { state: 'unreadable', reason } : isNowhere(region, reason, read);
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
    loadBalancers: balancers.map((one) => ({
      ...one,
      tags: tagsOf(one.LoadBalancerArn),
      attributes: {},
      listeners: [],
    })),
    targetGroups: groups.map((one) => ({
      ...one,
      LoadBalancerArns: one.LoadBalancerArns.filter((arn) => !isGone(arn)),
      tags: tagsOf(one.TargetGroupArn),
      attributes: {},
    })),
  };
};
