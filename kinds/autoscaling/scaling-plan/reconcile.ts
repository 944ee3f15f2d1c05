/** Plans one pass of a ScalingPlan. Pure. */
import type { Context, EventDraft, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { finish, type Steps } from '../../../machinery/api/steps.ts';
import { isOwnedBy, ownerReference, withOwner } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Offered, offer, requestOf } from '../../core/contract/download.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { type Decision, planInSteps } from '../plan/index.ts';
import type { Inputs } from '../plan/types.ts';
import { actionsOf } from './actions.ts';
import { batchedUntil } from './batch.ts';
import { eventsOf } from './events.ts';
import { inputsOf, type Templates, templatesOf } from './inputs.ts';
import { intervalFor, period, reportedPeriod } from './interval.ts';
import { asksForPresent, downloadOf, forget, keep, keepPresent } from './kept.ts';
import type { Observed } from './observe.ts';
import { podEvents } from './pod-events.ts';
import { measuredAfter } from './pools.ts';
import { priorityEvents, withPriorities } from './priorities.ts';
import type { ScalingPlan, ScalingPlanStatus } from './schema.ts';
import { ready, settingsNotApplied, statusOf, withDrafts, withoutPools } from './status.ts';

type OwnPlan = Plan<ScalingPlanStatus>;

/** Nodes that are listed a second, which spaces out the decisions of large clusters. */
const nodesASecond = 50;

const remember = ({ pools, plan }: Observed, { snapshot, now }: Inputs): Templates =>
  measuredAfter(pools!, { nodes: snapshot.nodes, remembered: templatesOf(plan), now });

const owned = (plan: ScalingPlan, cluster: Cluster): Pick<OwnPlan, 'intent'> =>
  isOwnedBy(plan, cluster)
    ? {}
    : { intent: { metadata: { ownerReferences: withOwner(plan, ownerReference(cluster)) } } };

const secondsUntil = (time: number, { now }: Context): number => Math.max(1, Math.ceil((time - now) / 1000));

const next = (
  decision: Decision,
  inputs: Inputs,
  { pools, reports }: Observed,
  context: Context,
): Pick<OwnPlan, 'requeueAfter' | 'debounce'> => {
  const { now } = context;
  const listed = inputs.snapshot.nodes.length / nodesASecond / speedOf(context.config);
  const interval = Math.max(intervalFor(decision, { inputs, pools: pools!, reports }, context), listed);
  const due = Math.min(now + interval * 1000, decision.nextDue ?? Number.POSITIVE_INFINITY);
  // Machines and MachineDeployments change often while a pool grows, and each decision lists all pods.
  const debounce = Math.ceil(Math.max(period / speedOf(context.config), listed) / 5);
  return { requeueAfter: secondsUntil(due, context), debounce };
};

/** The decision itself was carried out. */
const notKept = ({ code, message }: Failure): EventDraft => ({
  type: 'Warning',
  reason: 'DecisionNotKept',
  message: `The decision cannot be replayed: ${code}: ${message}`,
});

function* decided(observed: Observed, inputs: Inputs, context: Context): Steps<OwnPlan> {
  const { plan } = observed;
  const { now, lastFailure } = context;
  const decision = yield* planInSteps(inputs);
  const { actions: eventActions, told } = podEvents(observed, decision, now);
  const actions = [
    ...actionsOf(inputs.pools, observed, decision),
    ...eventActions,
    ...keep(plan, inputs, decision, context),
  ];
  const due = next(decision, inputs, observed, context);
  // A write failed in this very pass: what was decided did not happen, and is decided again.
  if (lastFailure && lastFailure.at >= now)
    return {
      status: withDrafts(plan, [ready('False', 'WriteFailed', lastFailure.message)], {}),
      ...(lastFailure.port === 'decisions' && { events: [notKept(lastFailure)] }),
      ...due,
    };
  return {
    ...(actions.length > 0 && { actions }),
    events: [...eventsOf(inputs.pools, observed, decision), ...priorityEvents(plan, observed.priorities)],
    status: {
      ...withPriorities(statusOf(plan, inputs, decision, remember(observed, inputs)), observed.priorities),
      told,
    },
    ...due,
  };
}

const wait = (plan: ScalingPlan, reason: string, message: string, more: Partial<ScalingPlanStatus> = {}): OwnPlan => ({
  status: withDrafts(plan, [ready('False', reason, message)], more),
});

/** Why there is nothing to decide from. */
const withoutInputs = ({ cluster, pools, unreadable }: Observed, { withheld }: Context): string | undefined => {
  if (withheld) return withheld.message;
  if (!cluster) return 'The Cluster does not exist';
  if (pools?.length === 0) return 'No pool opted in';
  return unreadable === undefined ? undefined : `The cluster cannot be read: ${unreadable}`;
};

/** What a decision would be made from now; undefined in the passes that do not read the cluster yet. */
const offerPresent = (observed: Observed, context: Context): Offered => {
  const { plan, offer: asked } = observed;
  const request = requestOf(downloadOf(plan, context.installation))!;
  const message = withoutInputs(observed, context);
  if (message !== undefined) return { download: { request, message } };
  const inputs = inputsOf(observed, context);
  if (!inputs || !asked) return {};
  const offered = offer(downloadOf(plan, context.installation, inputs), asked, context) ?? {};
  return { ...offered, actions: [keepPresent(plan, inputs, context), ...(offered.actions ?? [])] };
};

/** A decision can be downloaded whatever the state of its cluster. */
const offerKept = ({ plan: object, offer: observed }: Observed, context: Context): Offered => {
  const file = downloadOf(object, context.installation);
  const request = requestOf(file);
  const isUnknown = request !== undefined && !file.location;
  return isUnknown
    ? { download: { request, message: 'No stored decision has this hash' } }
    : ((observed && offer(file, observed, context)) ?? {});
};

const withOffer = (plan: OwnPlan, observed: Observed, context: Context): OwnPlan => {
  const { plan: object } = observed;
  const offered = asksForPresent(object) ? offerPresent(observed, context) : offerKept(observed, context);
  const { download, actions = [], events = [], requeueAfter } = offered;
  const due = [plan.requeueAfter, requeueAfter].filter((seconds) => seconds !== undefined);
  return {
    ...plan,
    ...(actions.length > 0 && { actions: [...(plan.actions ?? []), ...actions] }),
    ...(events.length > 0 && { events: [...(plan.events ?? []), ...events] }),
    ...(download && { status: { ...(plan.status ?? object.status), download } }),
    ...(due.length > 0 && { requeueAfter: Math.min(...due) }),
  };
};

/** Also while nothing is decided. */
const withUnapplied = (own: OwnPlan, { plan, unapplied }: Observed): OwnPlan => {
  if (unapplied === undefined) return own;
  const status = own.status ?? plan.status ?? {};
  return { ...own, status: withDrafts({ ...plan, status }, [settingsNotApplied(unapplied)], {}) };
};

export function* reconcileInSteps(observed: Observed, context: Context): Steps<OwnPlan> {
  const { plan } = observed;
  if (isDeleting(plan)) return { actions: forget(plan, context), finished: true };
  const own = yield* reconcilePools(observed, context);
  return withOffer(withUnapplied(own, observed), observed, context);
}

export const reconcile = (observed: Observed, context: Context): OwnPlan => finish(reconcileInSteps(observed, context));

function* reconcilePools(observed: Observed, context: Context): Steps<OwnPlan> {
  const { plan, cluster, pools, unreadable, isUnreachable } = observed;
  const { withheld } = context;
  if (withheld) return wait(plan, withheld.reason, withheld.message);
  if (!cluster) return wait(plan, 'NoCluster', 'The Cluster does not exist');
  if (!pools) return {};
  const ownership = owned(plan, cluster);
  if (pools.length === 0) return { ...ownership, status: withoutPools(plan) };
  if (unreadable !== undefined)
    return {
      ...ownership,
      ...wait(plan, 'ClusterUnreachable', `The cluster cannot be read: ${unreadable}`),
      requeueAfter: (isUnreachable ? reportedPeriod : period) / speedOf(context.config),
    };
  const inputs = inputsOf(observed, context);
  if (!inputs) return {};
  const until = batchedUntil(inputs, speedOf(context.config));
  if (until !== undefined) return { ...ownership, requeueAfter: secondsUntil(until, context) };
  return { ...ownership, ...(yield* decided(observed, inputs, context)) };
}
