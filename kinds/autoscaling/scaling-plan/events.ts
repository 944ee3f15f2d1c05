/** The Events of a decision on the MachineDeployments, under cluster-autoscaler's reasons. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { EventDraft } from '../../../machinery/api/reconcile.ts';
import { dollarText } from '../../common/dollars.ts';
import type { Decision, Removal, Scale } from '../plan/decision.ts';
import { sickMessage } from '../plan/sick.ts';
import type { History, Pool } from '../plan/types.ts';
import type { Observed } from './observe.ts';
import { poolId } from './pools.ts';
import type { ScalingPlanStatus } from './schema.ts';
import { limitMessage } from './status.ts';

const nameOfRemoved = ({ machine, node }: Removal): string =>
  node === undefined ? `Machine ${machine}` : `node ${node} (Machine ${machine})`;

const upMessage = (pool: Pool, { from, to, reason }: Scale, { pods, displaced, move }: Decision): string => {
  if (reason === 'MinSize') return `Scaled up from ${from} to its minimum of ${to} replicas`;
  const scaled = `Scaled up from ${from} to ${to} replicas`;
  if (reason === 'Consolidation')
    return `${scaled} to replace ${move!.nodes.join(', ')}, which saves $${dollarText(move!.saving)} an hour`;
  const waiting = pods.reduce((total, { onNew }) => total + (onNew[pool.id] ?? 0), 0);
  const leaving = displaced?.[pool.id] ?? 0;
  const reasons = [
    ...(waiting > 0 ? [`${waiting} pending pods`] : []),
    ...(leaving > 0 ? [`${leaving} pods of nodes in deletion`] : []),
  ];
  return `${scaled} for ${reasons.length > 0 ? reasons.join(' and ') : 'its headroom'}`;
};

const scaleEvents = (pool: Pool, about: KubeObject, decision: Decision): EventDraft[] => {
  const { scale, remove, replace } = decision;
  const change = scale.find((one) => one.pool === pool.id);
  const up: EventDraft[] =
    change && change.to > change.from
      ? [{ type: 'Normal', reason: 'ScaledUpGroup', message: upMessage(pool, change, decision), about }]
      : [];
  const down = remove
    .filter((one) => one.pool === pool.id)
    .map(
      (one): EventDraft => ({
        type: 'Normal',
        reason: one.reason === 'Empty' ? 'ScaleDownEmpty' : 'ScaleDown',
        message: `Removes ${nameOfRemoved(one)}: ${one.reason}`,
        about,
      }),
    );
  const replaced = replace
    .filter((one) => one.pool === pool.id)
    .map((one): EventDraft => {
      const message = `Replaces ${nameOfRemoved(one)}: ${one.reason}`;
      return { type: 'Warning', reason: 'MachineReplaced', message, about };
    });
  return [...up, ...down, ...replaced];
};

const besideEvents = (pool: Pool, about: KubeObject, { beside }: Decision): EventDraft[] => {
  const own = beside.filter((one) => one.pool === pool.id).map(({ machine }) => machine);
  if (own.length === 0) return [];
  const message = `Pods wait while Machines drain: others are created beside ${own.join(', ')}`;
  return [{ type: 'Normal', reason: 'ReplacedWhileDraining', message, about }];
};

/** A pool that loses replicas for a reason other than unneeded nodes. */
const lossEvents = (pool: Pool, about: KubeObject, { scale }: Decision): EventDraft[] =>
  scale
    .filter((one) => one.pool === pool.id)
    .flatMap(({ from, to, reason }): EventDraft[] => {
      if (reason === 'MaxSize')
        return [
          {
            type: 'Normal',
            reason: 'ScaleDown',
            message: `Scaled down from ${from} to its maximum of ${to} replicas`,
            about,
          },
        ];
      if (reason !== 'NoMachine') return [];
      const message = `Gives back ${from - to} replicas for which no Machine is created; see condition ScalingUp`;
      return [{ type: 'Warning', reason: 'NoMachine', message, about }];
    });

/** The node that was bought for a move is an ordinary one from now on. */
const withdrawnMove = (pool: Pool, about: KubeObject, { move }: Decision): EventDraft[] => {
  if (move?.state !== 'Withdrawn' || move.pool !== pool.id) return [];
  const message = `No longer replaces ${move.nodes.join(', ')}: ${move.message}`;
  return [{ type: 'Normal', reason: 'ConsolidationWithdrawn', message, about }];
};

/** Another client begins to set the replicas of the pool. */
const conflictEvents = (
  pool: Pool,
  about: KubeObject,
  { conflicts }: Decision,
  { history }: ScalingPlanStatus,
): EventDraft[] => {
  const found = conflicts.find((one) => one.pool === pool.id);
  if (!found || (history as History | undefined)?.pools?.[pool.id]?.conflict) return [];
  const message = `${found.writer} sets its replicas: it is left alone until ${timestamp(found.until)}`;
  return [{ type: 'Warning', reason: 'AutoscalerConflict', message, about }];
};

const isLeft = (decision: Decision, { id }: Pool): boolean =>
  decision.pods.some(({ left, reasons }) => left > 0 && reasons[id] !== undefined);

/** A pool that begins to refuse pods for a reason of its own. */
const refusal = (pool: Pool, about: KubeObject, decision: Decision, before: ScalingPlanStatus): EventDraft[] => {
  const blocked = decision.pools.find((one) => one.pool === pool.id)?.blocked;
  const was = before.pools?.find((one) => one.pool === pool.id)?.blocked;
  const wasRefused = (before.refused ?? 0) > 0;
  if (blocked === undefined || !isLeft(decision, pool) || (blocked === was && wasRefused)) return [];
  return [
    { type: 'Warning', reason: 'NotTriggerScaleUp', message: `Not scaled up for pending pods: ${blocked}`, about },
  ];
};

const heldEvents = ({ sick }: Decision, { conditions = [] }: ScalingPlanStatus): EventDraft[] => {
  const wasHeld = conditions.some(({ type, status }) => type === 'RemovalsHeld' && status === 'True');
  if (!sick || wasHeld) return [];
  return [{ type: 'Warning', reason: 'RemovalsHeld', message: `${sickMessage(sick)}: no node is removed` }];
};

export const eventsOf = (
  pools: readonly Pool[],
  { pools: objects, plan }: Observed,
  decision: Decision,
): EventDraft[] => {
  const message = limitMessage(decision, pools);
  const before = plan.status ?? {};
  const wasReached = before.conditions?.some(({ type, status }) => type === 'LimitReached' && status === 'True');
  return [
    ...pools.flatMap((pool) => {
      const { deployment } = objects!.find((one) => poolId(one.deployment) === pool.id)!;
      return [
        ...scaleEvents(pool, deployment, decision),
        ...besideEvents(pool, deployment, decision),
        ...lossEvents(pool, deployment, decision),
        ...withdrawnMove(pool, deployment, decision),
        ...conflictEvents(pool, deployment, decision, before),
        ...refusal(pool, deployment, decision, before),
      ];
    }),
    ...heldEvents(decision, before),
    ...(message && !wasReached ? [{ type: 'Warning' as const, reason: 'LimitReached', message }] : []),
  ];
};
