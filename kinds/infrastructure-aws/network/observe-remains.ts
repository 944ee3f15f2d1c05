/**
 * What is left in AWS of a cluster in deletion: its own resources by tag, whatever its spec says.
 */

import type { Reader } from '../../../machinery/api/reconcile.ts';
import { homeRegion } from '../../ports/cloud/index.ts';
import { isTagged } from '../../ports/lists.ts';
import { asking } from '../engine/ask.ts';
import { observeType } from '../engine/observe.ts';
import { isPassing } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import type { Remains } from '../engine/teardown.ts';
import { standing } from '../engine/teardown.ts';
import { observeOwnBalancing } from './observe-balancing.ts';
import { emptyInventory, isNotedAsUnmanaged, type Question } from './observe-cloud.ts';
import { type Inventory, types } from './resources/index.ts';

export type RemainsObservation =
  | { state: 'known'; remains: Remains<Inventory> }
  /** AWS has no such region, so nothing was ever created in it. */
  | { state: 'nowhere' }
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string };

/** In at most three rounds of reads. */
export const observeRemains = (question: Question, owner: Owner, read: Reader): RemainsObservation => {
  const { region } = question;
  const cloud = asking(read, region);
  const about = { isUnmanaged: isNotedAsUnmanaged(question), mayHaveBastion: question.bastion };
  const byTag = Object.entries(types).filter(
    ([, { list, isAsked, isPossible }]) => list && isTagged(list) && !(isAsked && isPossible?.(question) === false),
  );
  const observed = (isLast: boolean) =>
    byTag
      .filter(([, type]) => (type.turn?.(about) === 'last') === isLast)
      .map(([name, type]) => [name, observeType(cloud, question, type)]);
  const first: Inventory = {
    ...emptyInventory(),
    ...observeOwnBalancing(cloud, owner, question),
    ...Object.fromEntries(observed(false)),
  };
  const isAwaited = Object.entries(types).some(
    ([name, type]) => type.turn?.(about) === 'slow' && standing(owner, name, type, first).length > 0,
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
