/** From a cluster's infrastructure to nothing. */
import { conditionOf } from '../../machinery/api/conditions.ts';
import type { Context, Plan } from '../../machinery/api/reconcile.ts';
import { failedCondition } from './conditions.ts';
import { refusedType } from './desired-load-balancer.ts';
import type { Snapshot } from './observe.ts';
import type { Observed } from './observe-cloud.ts';
import { eventsFor, next, standingFailure } from './progress.ts';
import { say, unreadable } from './say.ts';
import { pendingAnnotation, pendingOf, pendingText, schedule, steadyAfter } from './step.ts';
import type { Owner } from './tags.ts';
import { planTeardown, settledKeys } from './teardown.ts';

export const tearDown = (snapshot: Snapshot, context: Context): Plan => {
  const { awsCluster, owner, region, machines, cloud } = snapshot;
  // Nothing is made before an owner and a region are known.
  if (!owner || !region || refusedType(awsCluster.spec ?? {})) return { finished: true };
  if (machines.state !== 'found') return machines.state === 'unread' ? {} : { requeueAfter: 20 };
  if (machines.value.length > 0) return { requeueAfter: 20 };
  switch (cloud.state) {
    case 'unread':
      return {};
    case 'unreadable':
      return unreadable(awsCluster, cloud.reason);
    case 'known':
      return remove(snapshot, owner, cloud.observed, context);
    default:
      return cloud satisfies never;
  }
};

const lingering = 120_000;
const isBuilding = (key: string) => !key.startsWith('delete/');

const remove = ({ awsCluster, region }: Snapshot, owner: Owner, observed: Observed, context: Context): Plan => {
  const { now, lastFailure } = context;
  const before = pendingOf(awsCluster.metadata.annotations);
  const teardown = planTeardown(owner, region, observed);
  // What was announced just before the deletion may have been made and not be visible yet.
  const announced = Object.keys(before).filter(isBuilding);
  const old = announced.filter((key) => now - before[key]!.tried >= steadyAfter);
  const certain = settledKeys(announced, old, observed);
  const plan = schedule(before, teardown.steps, teardown.underway, now, lastFailure, certain);
  const hidden = Object.keys(plan.pending).filter(isBuilding);
  if (teardown.empty && hidden.length === 0) return { finished: true };
  const text = pendingText(plan.pending);
  const changed = (awsCluster.metadata.annotations?.[pendingAnnotation] ?? null) !== text;
  const age = now - Date.parse(awsCluster.metadata.deletionTimestamp ?? '');
  const failure = standingFailure(context, plan.actions);
  // What a load balancer leaves behind in its subnets goes by itself, after a while.
  const usual = failure?.code === 'DependencyViolation' && age < lingering;
  const conditions = [...teardown.conditions, ...(failure && !usual ? [failedCondition(failure, true)] : [])];
  const relevant = conditions.filter(({ type }) => conditionOf(awsCluster.status?.conditions, type));
  return {
    ...say(awsCluster, relevant),
    ...(changed && { intent: { metadata: { annotations: { [pendingAnnotation]: text } } } }),
    actions: plan.actions,
    events: eventsFor(context, plan.actions),
    ...next(plan, false, context),
  };
};
