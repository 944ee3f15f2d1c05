/** What becomes of a move whose new node was asked for. Pure. */
import { priceOf } from '../cost.ts';
import { defaultProvisionTime, defaultStartupTime, inState } from '../machines.ts';
import { isCandidate, movableOf, type Owned } from '../scale-down/candidates.ts';
import { podsOn } from '../scale-down/unneeded.ts';
import type { Move, Pool } from '../types.ts';
import type { Given } from './given.ts';
import { arrived } from './reserved.ts';
import { accountOf, pays, type Target, type Victim } from './savings.ts';
import { tryMove } from './trial.ts';
import { priceOfNode } from './victims.ts';

export type Progress = { saving: number } & (
  | { next: 'wait'; message: string; due: number }
  | { next: 'drain'; victims: Victim[] }
  | { next: 'withdraw'; message: string }
  /** All its nodes leave. */
  | { next: 'done' }
);

const deadlineOf = ({ at }: Move, { options = {} }: Pool): number => {
  const { provisionTime = defaultProvisionTime, startupTime = defaultStartupTime } = options;
  return at + provisionTime + startupTime;
};

/** Whether the new node is not there yet, but comes. */
const isComing = ({ machines, sim }: Given, move: Move, pool: Pool): boolean => {
  const of = machines.get(pool)!;
  const nodes = arrived(move, of).map(({ node }) => sim.simulated.get(node!));
  if (nodes.some((node) => node?.origin === 'existing' && node.isTarget)) return false;
  return nodes.some((node) => node?.origin !== 'existing') || of.uncreated > 0 || inState(of, 'upcoming').length > 0;
};

/** Why no pod may be moved any more, whatever happens next. */
const obstacleTo = (given: Given, owned: readonly Owned[], target: Target | undefined): string | undefined => {
  if (!target) return 'the pool of the new node is gone, or has no price';
  const pools = new Set([...owned.map(({ pool }) => pool), target.pool]);
  for (const { id, consolidate, held, rollingOut } of pools) {
    if (!consolidate) return `${id} opted out`;
    if (held) return `${id}: ${held}`;
    if (rollingOut) return `a rollout of ${id} is in progress`;
  }
  if (owned.some((one) => priceOfNode(given, one) === undefined)) return 'the price of a node is unknown';
  return undefined;
};

const targetOf = ({ inputs, machines }: Given, { pool: id }: Move): Target | undefined => {
  const pool = [...machines.keys()].find((one) => one.id === id);
  const price = pool && priceOf(inputs.prices, pool);
  return price === undefined ? undefined : { pool: pool!, price };
};

/** Why the pods do not move now, although the new node is ready. */
const delayOf = (given: Given, victims: readonly (Victim | string)[]): string | undefined => {
  const { down, sim } = given;
  const blocked = victims.find((one) => typeof one === 'string');
  if (blocked !== undefined) return blocked;
  const all = victims as Victim[];
  if (all.some(({ node, pods }) => podsOn(sim.simulated.get(node.name)!) > pods.length))
    return 'pods are coming to its nodes';
  for (const [pool, { length }] of Map.groupBy(all, (one) => one.pool)) {
    const { removable, atOnce, leaving } = down.budgetOf(pool);
    if (length > removable) return `${pool.id} has its minimum of ${pool.min}`;
    if (length + leaving > atOnce.used) return `enough nodes of ${pool.id} are removed at once`;
  }
  const outcome = tryMove(given, all, undefined);
  return outcome === 'possible' ? undefined : outcome;
};

export const progressOf = (given: Given, move: Move): Progress => {
  const { inputs, down } = given;
  const { now } = inputs;
  const owned = down.owned.filter(({ node }) => move.nodes.includes(node.name));
  const rest = owned.filter(({ isLeaving }) => !isLeaving);
  const target = targetOf(given, move);
  const fault = obstacleTo(given, owned, target);
  const verdicts = rest.map((one) => ({ one, verdict: movableOf(one, down.budgets, now) }));
  const priced = (one: Owned): Victim => ({
    ...one,
    moving: [],
    utilization: 0,
    unneededTime: 0,
    price: priceOfNode(given, one) ?? 0,
  });
  const { saving } = accountOf(owned.map(priced), target);
  if (rest.length === 0) return { next: owned.length > 0 ? 'done' : 'withdraw', saving, message: 'its nodes are gone' };
  if (fault !== undefined) return { next: 'withdraw', saving, message: fault };
  const victims = verdicts.map(({ one, verdict }) =>
    isCandidate(verdict) ? { ...verdict, price: priceOfNode(given, one)! } : `${one.node.name}: ${verdict.message}`,
  );
  if (rest.length === owned.length && owned.length === move.nodes.length && !pays(owned.map(priced), target))
    return { next: 'withdraw', saving, message: 'it no longer saves enough' };
  const due = deadlineOf(move, target!.pool);
  if (isComing(given, move, target!.pool) && now < due)
    return { next: 'wait', saving, message: 'waits for the new node', due };
  const delay = given.sick ?? delayOf(given, victims);
  if (delay === undefined) return { next: 'drain', saving, victims: victims as Victim[] };
  const hasCome = arrived(move, given.machines.get(target!.pool)!).length > 0;
  if (!hasCome) return { next: 'withdraw', saving, message: 'the new node does not come' };
  // Other pods took the room, which nothing gives back.
  if (delay === 'NoPlaceToMovePods') return { next: 'withdraw', saving, message: 'its pods do not fit any more' };
  return now < due ? { next: 'wait', saving, message: delay, due } : { next: 'withdraw', saving, message: delay };
};
