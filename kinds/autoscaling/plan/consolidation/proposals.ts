/** The moves that may be possible, the best first: estimates, which a trial confirms. Pure. */
import type { PodClass } from '../classes.ts';
import type { SimNode } from '../cluster.ts';
import { priceOf } from '../cost.ts';
import { moveAll } from '../scale-down/unneeded.ts';
import type { Vector } from '../vector.ts';
import { type Given, staying } from './given.ts';
import { gainOf, pays, type Target, type Victim } from './savings.ts';

export type Place = Target & {
  allocatable: Vector;
  zone: string | undefined;
  /** An empty node that the pool has already. */
  node?: SimNode;
};
export type Proposal = { victims: Victim[]; place: Place | undefined; gain: number };

/** More nodes than this are not replaced by one. */
const mostVictims = 10;

/** Opted-in pools with an empty node, or that may buy one. */
const placesOf = ({ inputs, availability, empties, machines, packer, down, sim }: Given): Place[] =>
  [...availability].flatMap(([pool, { room, zone }]): Place[] => {
    const price = priceOf(inputs.prices, pool, zone);
    const facts = empties.get(pool);
    if (!pool.consolidate || pool.held || pool.rollingOut || price === undefined || !facts) return [];
    const free = down.unneeded.find(({ pool: of, moving, node }) => of === pool && moving.length === 0 && node.ready);
    const place = { pool, price, zone, allocatable: facts.allocatable };
    if (free) return [{ ...place, node: sim.simulated.get(free.node.name)! }];
    const isBuying = (packer.bought.get(pool) ?? 0) > 0 || machines.get(pool)!.uncreated > 0;
    return room > 0 && !isBuying && packer.limits.exceeded(pool) === undefined ? [place] : [];
  });

/** What of a node's pods fits nowhere on the other nodes. */
type Unplaced = { classes: Map<PodClass, number>; sum: Vector };

const unplacedOf = (given: Given, victim: Victim): Unplaced => {
  const { placing, classes, simulated, axes } = given.sim;
  const node = simulated.get(victim.node.name)!;
  const mark = placing.cluster.mark();
  const left = moveAll(placing, classes, [{ node, moving: victim.moving }], staying(given, new Set([node])));
  placing.cluster.rollback(mark);
  node.isTarget = true;
  const sum = new Float64Array(axes.length);
  for (const [{ request }, count] of left)
    for (let axis = 0; axis < sum.length; axis++) sum[axis]! += request[axis]! * count;
  return { classes: left, sum };
};

const within = (sum: Vector, allocatable: Vector): boolean => sum.every((amount, axis) => amount <= allocatable[axis]!);
const plus = (a: Vector, b: Vector): Vector => a.map((amount, axis) => amount + b[axis]!);

/** Whether the budgets of their pools allow the removal of the nodes at once. */
const isAllowed = ({ down }: Given, victims: readonly Victim[], place: Place | undefined): boolean =>
  [...Map.groupBy(victims, ({ pool }) => pool)].every(([pool, { length }]) => {
    const { removable, atOnce, leaving } = down.budgetOf(pool);
    const added = place && place.pool === pool && !place.node ? 1 : 0;
    return length <= removable + added && length + leaving <= atOnce.used;
  });

const proposalsFor = (
  given: Given,
  victims: readonly { victim: Victim; unplaced: Unplaced }[],
  place: Place | undefined,
): Proposal[] => {
  const { packer, sim } = given;
  const allocatable = place?.allocatable ?? new Float64Array(sim.axes.length);
  const canTake = (pod: PodClass) => place !== undefined && packer.canEver(pod, place.pool);
  const fitting = victims.filter(
    ({ unplaced }) => within(unplaced.sum, allocatable) && [...unplaced.classes.keys()].every(canTake),
  );
  const proposals: Proposal[] = [];
  const propose = (chosen: Victim[]) => {
    if (pays(chosen, place)) proposals.push({ victims: chosen, place, gain: gainOf(chosen, place) });
  };
  let group: Victim[] = [];
  let sum: Vector = new Float64Array(sim.axes.length);
  for (const { victim, unplaced } of fitting) {
    if (isAllowed(given, [victim], place)) propose([victim]);
    const [more, all] = [[...group, victim], plus(sum, unplaced.sum)];
    if (more.length > mostVictims || !within(all, allocatable) || !isAllowed(given, more, place)) continue;
    [group, sum] = [more, all];
    if (group.length > 1) propose(group);
  }
  return proposals;
};

const byGain = (a: Proposal, b: Proposal): number => b.gain - a.gain || a.victims.length - b.victims.length;

export const proposalsOf = (given: Given, victims: readonly Victim[]): Proposal[] => {
  if (victims.length === 0) return [];
  const unplaced = victims.map((victim) => ({ victim, unplaced: unplacedOf(given, victim) }));
  return [undefined, ...placesOf(given)].flatMap((place) => proposalsFor(given, unplaced, place)).sort(byGain);
};
