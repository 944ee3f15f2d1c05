/** Tears down a cluster's infrastructure. */

import { conditionOf, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, EventDraft, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { holdAmong } from '../../core/contract/hold.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { describeFailure } from '../aws-machine/conditions.ts';
import { hasResources } from '../aws-machine/has-resources.ts';
import { isHeldBack, pendingOf, pendingText, schedule } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import type { Remains } from '../engine/teardown.ts';
import { isCreation, planTeardown, refusedCreation, sighted } from '../engine/teardown.ts';
import { isInUse, someOf, withBlockingResources } from '../network/blocking-resources.ts';
import { vpcReady } from '../network/conditions.ts';
import { refusedType } from '../network/desired-load-balancer.ts';
import { failedCondition } from '../network/failure.ts';
import { claiming, collectorAnnotation, type LeftBehind } from '../network/left-behind.ts';
import { eventsFor, next, standingFailure } from '../network/progress.ts';
import { types } from '../network/resources/index.ts';
import { withFailed } from './conditions.ts';
import type { Observed } from './observe.ts';
import { isBegun } from './owner.ts';
import { reportConditions, unreadable } from './report.ts';
import type { AWSCluster, AWSClusterStatus } from './schema.ts';

/**
 * Seconds. No event wakes this controller when machines end: the Cluster controller deletes this
 * object only when they are gone, and other deletions may wait for days.
 */
const forMachines = ({ metadata }: AWSCluster, now: number): number => {
  const since = Date.parse(metadata.deletionTimestamp ?? '');
  return Number.isNaN(since) ? 10 : Math.min(60, Math.max(5, Math.floor((now - since) / 10_000)));
};

const waitForMachines = (awsCluster: AWSCluster, left: readonly KubeObject[], now: number): Plan<AWSClusterStatus> => {
  const [first, ...others] = left.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const message = holdAmong(left) ?? `Waiting for ${first!.kind} ${first!.metadata.name}${more} to be gone`;
  return reportConditions(
    awsCluster,
    [legacyFalse(vpcReady, 'Deleting', 'Info', message)],
    forMachines(awsCluster, now),
  );
};

/** `end`: the plan when nothing is left. */
export const tearDown = (observed: Observed, context: Context, end: Plan<AWSClusterStatus>): Plan<AWSClusterStatus> => {
  const { awsCluster, owner, region, machines, remains, principal, caller } = observed;
  // The controller creates nothing before owner and region are known.
  if (!owner || !region || refusedType(awsCluster.spec ?? {})) return end;
  // Nor before its identity may be used.
  if (!isBegun(awsCluster) && (principal.state === 'refused' || caller?.state === 'unreadable')) return end;
  if (machines.state !== 'found') return machines.state === 'unread' ? {} : { requeueAfter: 20 };
  // Deleting a cluster deletes all its machines; undoing one keeps AWSMachines that users created.
  const isInTheWay = awsCluster.metadata.deletionTimestamp ? () => true : hasResources;
  const inTheWay = machines.value.filter(isInTheWay);
  if (inTheWay.length > 0) return waitForMachines(awsCluster, inTheWay, context.now);
  switch (remains.state) {
    case 'unread':
      return {};
    case 'unreadable':
      return unreadable(awsCluster, remains.reason, context);
    case 'nowhere':
      return end;
    case 'known':
      return remove(observed, owner, remains.remains, context, end);
    default:
      return remains satisfies never;
  }
};

const lingering = 120_000;
/**
 * Seconds. AWS releases a load balancer's addresses after half a minute to some minutes; retrying
 * does not speed it up.
 */
const freedAfter = [8, 9, 10, 11, 12];
/** A failure that lasts this long will not pass with the next retry. */
const lasting = 60_000;
const isBuilding = (key: string) => !key.startsWith('delete/');

/** Once its own resources are gone. */
const waitForLeftBehind = (
  awsCluster: AWSCluster,
  { names, claims }: LeftBehind,
  { lastFailure, config }: Context,
): Plan<AWSClusterStatus> => {
  const refusal = lastFailure?.group?.startsWith(claiming) ? `: ${describeFailure(lastFailure)}` : '';
  const message = `Waiting for what Services left in the network to be gone: ${someOf(names)}${refusal}. To leave it there, annotate this object with ${collectorAnnotation}=false`;
  return {
    ...reportConditions(awsCluster, [legacyFalse(vpcReady, 'Deleting', 'Info', message)], 10 / speedOf(config)),
    actions: claims,
    events: claimed(names, claims),
  };
};

/** A network of the user's that another cluster may use. */
const keptEvent = ({ clusterName }: Owner, { kept }: LeftBehind): EventDraft => ({
  type: 'Warning',
  reason: 'ServicesLeftBehind',
  message: `Left in the network: ${someOf(kept)}. There are other machines of a cluster named ${clusterName}, which these may serve; delete what none uses`,
});

/** When the first of them are tagged. */
const claimed = (names: readonly string[], claims: readonly Action[]): EventDraft[] =>
  claims.length > 0
    ? [{ type: 'Normal', reason: 'RemovingLeftBehind', message: `Services left in the network: ${someOf(names)}` }]
    : [];

/** What is removed. */
export type Removing = Pick<Observed, 'awsCluster' | 'region' | 'blockingResources' | 'leftBehind'>;

/** `end`: the plan when nothing is left. */
export const remove = (
  { awsCluster, region, blockingResources, leftBehind }: Removing,
  owner: Owner,
  remains: Remains,
  context: Context,
  end: Plan<AWSClusterStatus>,
): Plan<AWSClusterStatus> => {
  const { now, lastFailure } = context;
  const before = sighted(pendingOf(awsCluster.metadata.annotations), remains, types);
  const teardown = planTeardown(owner, region, remains, types);
  // A resource announced just before the deletion may exist without being visible yet.
  const changes = Object.keys(before).filter((key) => isBuilding(key) && !isCreation(key, types));
  const forget = [...changes, ...refusedCreation(before, lastFailure, types)];
  const speed = speedOf(context.config);
  const plan = schedule(before, teardown.steps, teardown.underway, now, lastFailure, forget, undefined, speed);
  const hidden = Object.keys(plan.pending).filter(isBuilding);
  if (teardown.empty && hidden.length === 0) {
    if (leftBehind.unreadable !== undefined) return unreadable(awsCluster, leftBehind.unreadable, context);
    return leftBehind.names.length > 0
      ? waitForLeftBehind(awsCluster, leftBehind, context)
      : {
          ...end,
          ...(leftBehind.kept.length > 0 && { events: [...(end.events ?? []), keptEvent(owner, leftBehind)] }),
        };
  }
  const text = pendingText(plan.pending);
  const changed = (awsCluster.metadata.annotations?.[pendingAnnotation] ?? null) !== text;
  const triedFor = ({ group = '' }: Failure) => now - (plan.pending[group]?.since ?? now);
  const deletedAt = Date.parse(awsCluster.metadata.deletionTimestamp ?? '');
  // AWS removes a load balancer's leftovers from its subnets after a while.
  const isTransient = (failure: Failure) =>
    isHeldBack(failure, before[failure.group ?? '']?.since) ||
    (isInUse(failure) && (now - deletedAt || triedFor(failure)) < lingering);
  const failure = standingFailure(context, plan.actions, isTransient);
  const failed =
    failure && failedCondition(withBlockingResources(failure, blockingResources), triedFor(failure) < lasting);
  const conditions = withFailed(teardown.conditions, failed);
  const relevant = conditions.filter(({ type }) => conditionOf(awsCluster.status?.conditions, type));
  return {
    ...reportConditions(awsCluster, relevant),
    ...(changed && { intent: { metadata: { annotations: { [pendingAnnotation]: text } } } }),
    actions: [...leftBehind.claims, ...plan.actions],
    events: [...claimed(leftBehind.names, leftBehind.claims), ...eventsFor(context, plan.actions, isTransient)],
    ...next(plan, false, context),
    ...(isInUse(context.lastFailure) && { requeueAfter: Math.max(1, context.random.pick(freedAfter) / speed) }),
  };
};
