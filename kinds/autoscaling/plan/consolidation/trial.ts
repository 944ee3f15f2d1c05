/** Tries a move in the simulated cluster, which stays as it was. */
import { takeAll } from '../scale-down/budgets.ts';
import { moveAll } from '../scale-down/unneeded.ts';
import { type Given, staying } from './given.ts';
import type { Place } from './proposals.ts';
import type { Victim } from './savings.ts';

export type Outcome = 'possible' | 'NoPlaceToMovePods' | 'NotEnoughPdb';

/**
 * Moves the pods of the nodes to the others and the new node, which at least one of them must need.
 * If that is possible, the disruption budgets are charged.
 */
export const tryMove = (given: Given, victims: readonly Victim[], place: Place | undefined): Outcome => {
  const { sim, down, packer } = given;
  const { placing, classes } = sim;
  const vacated = victims.map(({ node, moving }) => ({ node: sim.simulated.get(node.name)!, moving }));
  const others = staying(given, new Set(vacated.map(({ node }) => node)));
  const wereTargets = vacated.map(({ node }) => node.isTarget);
  const mark = placing.cluster.mark();
  const open = ({ pool, zone }: Place) => placing.cluster.open(packer.maker.added(pool, `${pool.id}#`, zone)!);
  const added = place && (place.node ?? open(place));
  if (added) added.isTarget = true;
  const before = added?.hosted.size ?? 0;
  const left = moveAll(placing, classes, vacated, added ? [...others, added] : others);
  const isUseless = added !== undefined && added.hosted.size === before;
  placing.cluster.rollback(mark);
  for (const [at, { node }] of vacated.entries()) node.isTarget = wereTargets[at]!;
  if (place?.node) place.node.isTarget = false;
  if (left.size > 0 || isUseless) return 'NoPlaceToMovePods';
  const moving = victims.flatMap((victim) => victim.moving);
  return takeAll(down.budgets, moving) === undefined ? 'possible' : 'NotEnoughPdb';
};
