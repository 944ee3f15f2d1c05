/** The nodes whose pods may move to cheaper ones, and why others may not. Pure. */
import { priceOf } from '../cost.ts';
import { isCandidate, movableOf, type Owned } from '../scale-down/candidates.ts';
import { frozenUntil, iso } from '../scale-down/removals.ts';
import { podsOn } from '../scale-down/unneeded.ts';
import type { Pod } from '../types.ts';
import { type Given, intervalOf, pastOf } from './given.ts';
import type { Victim } from './savings.ts';

export type Victims = {
  victims: Victim[];
  /** Why a node is none, by its name. */
  notes: Map<string, string>;
  nextDue: number[];
};

/** Nodes that one decision considers: those with the fewest pods for their price. */
const most = 200;

export const ownerOf = ({ namespace, owner, name }: Pod): string =>
  owner ? `${namespace}/${owner.kind}/${owner.name}` : `${namespace}/Pod/${name}`;

/** Until when the pods of the node stay because they moved there. */
const movedUntil = (given: Given, { pods }: Owned): number =>
  Math.max(
    0,
    ...(pastOf(given).moved ?? [])
      // Creation times are whole seconds.
      .filter(({ at, owners }) => pods.some((pod) => pod.createdAt > at - 1000 && owners.includes(ownerOf(pod))))
      .map(({ at }) => at + intervalOf(given)),
  );

export const priceOfNode = ({ inputs }: Given, { pool, machine }: Pick<Owned, 'pool' | 'machine'>) =>
  priceOf(inputs.prices, pool, machine.zone);

type Obstacle = { note: string; due?: number };

const obstacleTo = (given: Given, owned: Owned): Obstacle | undefined => {
  const { inputs, history, sim, down } = given;
  const { settings = {}, now } = inputs;
  const { node, pool, pods } = owned;
  const dues = [
    { due: node.createdAt + pool.consolidate!.age, note: 'it is too young to move its pods' },
    { due: movedUntil(given, owned), note: 'pods moved to it recently' },
    { due: frozenUntil(pool, history, settings), note: 'the pool was scaled up recently' },
  ];
  const early = dues.find(({ due }) => due > now);
  if (early) return { due: early.due, note: `${early.note}: until ${iso(early.due)}` };
  if (!node.ready) return { note: 'it is not ready' };
  if (priceOfNode(given, owned) === undefined) return { note: 'the price of its instance is unknown' };
  if (down.budgetOf(pool).removable === 0) return { note: `the pool has its minimum of ${pool.min}` };
  if (podsOn(sim.simulated.get(node.name)!) > pods.length) return { note: 'pods are coming to it' };
  return undefined;
};

const podsPerDollar = ({ pods, price }: { pods: readonly Pod[]; price: number }): number => pods.length / price;

export const victimsOf = (given: Given): Victims => {
  const { inputs, down } = given;
  const { now } = inputs;
  const result: Victims = { victims: [], notes: new Map(), nextDue: [] };
  const unneeded = new Set(down.unneeded.map(({ node }) => node.name));
  const optedIn = down.owned.filter(
    ({ node, pool, isLeaving }) => pool.consolidate && !isLeaving && !unneeded.has(node.name),
  );
  const open = optedIn.flatMap((owned) => {
    const obstacle = obstacleTo(given, owned);
    if (!obstacle) return [{ ...owned, price: priceOfNode(given, owned)! }];
    result.notes.set(owned.node.name, obstacle.note);
    if (obstacle.due !== undefined) result.nextDue.push(obstacle.due);
    return [];
  });
  const ordered = open.sort((a, b) => podsPerDollar(a) - podsPerDollar(b) || (a.node.name < b.node.name ? -1 : 1));
  for (const owned of ordered.slice(0, most)) {
    const verdict = movableOf(owned, down.budgets, now);
    if (isCandidate(verdict)) result.victims.push({ ...verdict, price: owned.price });
    else result.notes.set(owned.node.name, verdict.message);
  }
  return result;
};
