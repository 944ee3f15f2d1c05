/** What a ScalingPlan reports of a decision. Pure. */
import { withConditions } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import type { Unapplied } from '../../common/autoscale/plan-entry.ts';
import { dollarText } from '../../common/dollars.ts';
import { pricedReplicas, priceOf } from '../plan/cost.ts';
import type { Decision, HeadroomState, KeptNode } from '../plan/decision.ts';
import { sickMessage } from '../plan/sick.ts';
import type { Inputs, Pool, Prices } from '../plan/types.ts';
import type { Templates } from './inputs.ts';
import { decisionsWith, isChange } from './kept.ts';
import { decisionMessage, nameOf } from './message.ts';
import { withPriorities } from './priorities.ts';
import type { ScalingPlan, ScalingPlanStatus } from './schema.ts';

type Status = ScalingPlanStatus;

const mostGroups = 50;
const mostNodes = 100;
const mostKept = 5;
const mostPurchases = 50;
const maxReached = 'max node group size reached';

export const withDrafts = (plan: ScalingPlan, drafts: readonly ConditionDraft[], more: Partial<Status>): Status => ({
  ...plan.status,
  ...more,
  conditions: drafts.reduce(
    (conditions, draft) => withConditions(conditions, draft as Condition),
    (plan.status?.conditions ?? []) as Condition[],
  ),
});

export const ready = (status: 'True' | 'False', reason: string, message = ''): ConditionDraft => ({
  type: 'Ready',
  status,
  reason,
  message,
});

const conflictMessage = ({ pool, writer, until }: Decision['conflicts'][number]): string =>
  `${writer} sets the replicas of ${nameOf(pool)}, which is left alone until ${timestamp(until)}: ` +
  'leave spec.replicas out of the manifest that it applies, or opt out with ' +
  `kubectl annotate --overwrite machinedeployment ${nameOf(pool)} capstan.dev/autoscale=false`;

/** Another autoscaler of the cluster, or other clients that set the replicas of its pools. */
const conflict = (evidence: string | undefined, conflicts: Decision['conflicts']): ConditionDraft => {
  const type = 'AutoscalerConflict';
  if (evidence !== undefined) return { type, status: 'True', reason: 'OtherAutoscaler', message: evidence };
  if (conflicts.length === 0) return { type, status: 'False', reason: 'NoOtherAutoscaler', message: '' };
  const message = conflicts.map(conflictMessage).join('. ');
  return { type, status: 'True', reason: 'OtherWriter', message };
};

/** What keeps pods waiting that a larger limit would help. */
const limitsReached = ({ limits, pods }: Decision, pools: readonly Pool[]): string[] => {
  const reasons = pods.filter(({ left }) => left > 0).map(({ reasons: of }) => of);
  return [
    ...limits.map(({ message, value }) => `${message} (${value})`),
    ...pools
      .filter(({ id }) => reasons.some((of) => of[id] === maxReached))
      .map(({ id, max }) => `${nameOf(id)} has its maximum of ${max}`),
  ];
};

/** Empty without a limit that keeps pods waiting, or pools below their minimum. */
export const limitMessage = (decision: Decision, pools: readonly Pool[]): string => {
  const reached = limitsReached(decision, pools);
  if (reached.length === 0) return '';
  const isWaiting = decision.pods.some(({ left }) => left > 0);
  return `${isWaiting ? 'Pods stay pending' : 'Pools stay below their minimum or headroom'}: ${reached.join(', ')}`;
};

const limitReached = (message: string): ConditionDraft => ({
  type: 'LimitReached',
  status: message ? 'True' : 'False',
  reason: message ? 'LimitReached' : 'WithinLimits',
  message,
});

const aboveMaximum = (kept: readonly KeptNode[]): ConditionDraft => {
  const type = 'AboveMaximum';
  if (kept.length === 0) return { type, status: 'False', reason: 'WithinSizes', message: '' };
  const messages = kept
    .slice(0, mostKept)
    .map(({ pool, node, message }) => `${nameOf(pool)} keeps ${node}: ${message}`);
  const more = kept.length > mostKept ? [`and ${kept.length - mostKept} more nodes`] : [];
  const message = `${[...messages, ...more].join(', ')}. Remove the annotation or delete the pod to shrink the pool`;
  return { type, status: 'True', reason: 'NodesKept', message };
};

/** Its pods fit no new node of the pool, or the pool may not grow. */
const headroomMissing = ({ headroom }: Pick<Decision, 'headroom'>): ConditionDraft => {
  const type = 'HeadroomMissing';
  const lacking = headroom.filter(({ left }) => left > 0);
  if (lacking.length === 0) return { type, status: 'False', reason: 'HeadroomKept', message: '' };
  const messages = lacking.map(
    ({ pool, pods, left, reason }) =>
      `${nameOf(pool)} has no room for ${left} of ${pods} pods of its headroom (${reason})`,
  );
  return { type, status: 'True', reason: 'NoRoom', message: messages.join('; ') };
};

const mostNames = 5;

/** Replicas of the pools get no Machine until a user acts. */
const growthBlocked = (pools: readonly Pool[]): ConditionDraft => {
  const type = 'GrowthBlocked';
  const blocked = pools.filter(({ cannotCreate }) => cannotCreate !== undefined);
  if (blocked.length === 0) return { type, status: 'False', reason: 'MachinesCanBeCreated', message: '' };
  const messages = [
    ...blocked.slice(0, mostNames).map(({ id, cannotCreate }) => `${nameOf(id)}: ${cannotCreate}`),
    ...(blocked.length > mostNames ? ['…'] : []),
  ];
  return { type, status: 'True', reason: 'CannotCreateMachines', message: messages.join('; ') };
};

/** A fault of the network, a zone or the control plane makes nodes unready that a removal would not repair. */
const removalsHeld = ({ sick }: Pick<Decision, 'sick'>): ConditionDraft => {
  const type = 'RemovalsHeld';
  if (!sick) return { type, status: 'False', reason: 'EnoughNodesReady', message: '' };
  const { unready } = sick;
  const names = [...unready.slice(0, mostNames), ...(unready.length > mostNames ? ['…'] : [])].join(', ');
  const message =
    `${sickMessage(sick)} (${names}): no node is removed until at most a fifth, or two, are not. ` +
    'Look at them with kubectl describe node on the workload cluster';
  return { type, status: 'True', reason: 'NodesUnready', message };
};

/** What `spec.pools` says in vain; the gravest reason first. */
export const settingsNotApplied = (unapplied: readonly Unapplied[]): ConditionDraft => {
  const type = 'SettingsNotApplied';
  const order: readonly Unapplied['reason'][] = ['Contradiction', 'NoSizes', 'NoMachineDeployment'];
  const sorted = order.flatMap((reason) => unapplied.filter((one) => one.reason === reason));
  const [first] = sorted;
  if (!first) return { type, status: 'False', reason: 'SettingsApplied', message: '' };
  const messages = [
    ...sorted.slice(0, mostNames).map(({ message }) => message),
    ...(sorted.length > mostNames ? ['…'] : []),
  ];
  return { type, status: 'True', reason: first.reason, message: messages.join('; ') };
};

const lastDecisionOf = (decision: Decision, now: number): Status['lastDecision'] => ({
  time: timestamp(now),
  inputs: decision.inputs,
  message: decisionMessage(decision),
  scale: decision.scale,
  remove: decision.remove,
  ...(decision.replace.length > 0 && { replace: decision.replace }),
});

const headroomOf = ({ pods, left, reason }: HeadroomState) => ({
  pods,
  left,
  ...(reason !== undefined && { reason }),
});

/** What the decided replicas of a pool cost. */
const costOf = (prices: Prices | undefined, pool: Pool, replicas: number) => {
  const price = priceOf(prices, pool);
  return {
    ...(price !== undefined && {
      dollarsPerHour: dollarText(price * pricedReplicas(pool, replicas)),
      price: dollarText(price),
    }),
    ...(pool.priceSource !== undefined && { priceSource: pool.priceSource }),
  };
};

const poolStates = ({ pools, prices }: Inputs, decision: Decision): Status['pools'] =>
  pools.map((pool) => {
    const { id, min, max, schedule, alarms } = pool;
    const replicas = decision.scale.find((one) => one.pool === id)?.to ?? pool.replicas;
    const state = decision.pools.find((one) => one.pool === id);
    const headroom = decision.headroom.find((one) => one.pool === id);
    return {
      pool: id,
      min,
      max,
      replicas,
      ...costOf(prices, pool, replicas),
      ...(headroom && { headroom: headroomOf(headroom) }),
      ...(schedule?.entries.length && { schedule: schedule.entries }),
      ...(alarms && { alarms }),
      ...(schedule?.changesAt !== undefined && { sizesUntil: timestamp(schedule.changesAt) }),
      ...(state?.blocked !== undefined && { blocked: state.blocked }),
      ...(state?.until !== undefined && { until: timestamp(state.until) }),
    };
  });

const purchasesOf = ({ history }: Decision): Status['purchases'] =>
  Object.entries(history.pools ?? {})
    .flatMap(([pool, { purchases = {} }]) => Object.values(purchases).map((one) => ({ pool, ...one })))
    .sort((a, b) => b.at - a.at || (a.pool < b.pool ? -1 : 1))
    .slice(0, mostPurchases)
    .map(({ pool, namespace, owner, at, nodes, outcome, message, failures, until }) => ({
      pool,
      pods: `${namespace}/${owner}`,
      time: timestamp(at),
      nodes,
      outcome: outcome ?? 'Open',
      ...(message !== undefined && { message }),
      ...(failures > 0 && { failures }),
      ...(until !== undefined && { until: timestamp(until) }),
    }));

const usageOf = ({ nodes, vCPU, dollarsPerHour }: NonNullable<Decision['usage']>): Status['usage'] => ({
  nodes,
  vCPU: Math.ceil(vCPU),
  dollarsPerHour: dollarText(dollarsPerHour),
});

/** A move that waits for its new node. */
const moveOf = ({ move }: Decision): Status['move'] => {
  if (!move || (move.state !== 'Started' && move.state !== 'Waiting')) return undefined;
  const { since, nodes, pool = '', saving, message } = move;
  return { since: timestamp(since), nodes, pool, saving: dollarText(saving), message };
};

/**
 * Nothing is decided. Other clusters count the usage, and timers of nodes must not run on, or a pool
 * that opts in again would lose its nodes at once.
 */
export const withoutPools = (plan: ScalingPlan): Status => {
  const drafts = [
    ready('False', 'NoPool', 'No MachineDeployment opted in'),
    conflict(undefined, []),
    limitReached(''),
    aboveMaximum([]),
    removalsHeld({}),
    headroomMissing({ headroom: [] }),
    growthBlocked([]),
  ];
  const { history: _, move: __, usage: ___, told: ____, purchases: _____, ...rest } = plan.status ?? {};
  const status = withDrafts({ ...plan, status: rest }, drafts, {
    pending: 0,
    refused: 0,
    pods: [],
    pools: [],
    nodes: [],
  });
  return withPriorities(status, undefined);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The decision is part of the status when its writes succeeded. */
export const statusOf = (plan: ScalingPlan, inputs: Inputs, decision: Decision, templates: Templates): Status => {
  const { pools, snapshot, now } = inputs;
  const { pods, nodes, history, usage } = decision;
  return withDrafts(
    plan,
    [
      ready('True', 'Deciding'),
      conflict(snapshot.conflict, decision.conflicts),
      limitReached(limitMessage(decision, pools)),
      aboveMaximum(decision.aboveMaximum ?? []),
      removalsHeld(decision),
      headroomMissing(decision),
      growthBlocked(pools),
    ],
    {
      pending: sum(pods.map(({ count }) => count)),
      refused: sum(pods.map(({ left }) => left)),
      pods: pods.toSorted((a, b) => b.left - a.left || b.count - a.count).slice(0, mostGroups),
      pools: poolStates(inputs, decision),
      nodes: nodes.slice(0, mostNodes).map(({ note: _, ...state }) => state),
      move: moveOf(decision),
      purchases: purchasesOf(decision),
      history: history as Status['history'],
      templates: templates as Status['templates'],
      ...(usage && { usage: usageOf(usage) }),
      ...(isChange(decision) && {
        lastDecision: lastDecisionOf(decision, now),
        decisions: decisionsWith(plan, decision, now),
      }),
    },
  );
};
