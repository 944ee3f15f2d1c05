/** Which candidates are unneeded together: all their pods fit on the nodes that stay. */
import type { Steps } from '../../../../machinery/api/steps.ts';
import type { Classes, PodClass } from '../classes.ts';
import type { SimNode } from '../cluster.ts';
import { type Placing, placeOn } from '../place.ts';
import type { Pod } from '../types.ts';
import type { Candidate } from './candidates.ts';

export type Unneeded = {
  unneeded: Candidate[];
  /** Candidates whose pods have no other place. */
  needed: Candidate[];
};

/** Empty nodes first, then the least used. */
const byUse = (a: Candidate, b: Candidate): number =>
  a.moving.length - b.moving.length === 0 || (a.moving.length > 0 && b.moving.length > 0)
    ? a.utilization - b.utilization || (a.node.name < b.node.name ? -1 : 1)
    : a.moving.length - b.moving.length;

type Vacated = { node: SimNode; moving: readonly Pod[] };

/** Takes nodes away and places their pods on others; answers what fits nowhere. */
export const moveAll = (
  placing: Placing,
  classes: Classes,
  vacated: readonly Vacated[],
  others: readonly SimNode[],
): Map<PodClass, number> => {
  const counts = new Map<PodClass, number>();
  for (const { node, moving } of vacated) {
    node.isTarget = false;
    const own = new Map<PodClass, number>();
    for (const pod of moving) own.set(classes.of(pod), (own.get(classes.of(pod)) ?? 0) + 1);
    for (const [pod, count] of own) {
      placing.cluster.remove(pod, node, count);
      counts.set(pod, (counts.get(pod) ?? 0) + count);
    }
  }
  const left = new Map<PodClass, number>();
  const largestFirst = [...counts].sort(([a], [b]) => b.request[1]! - a.request[1]! || a.index - b.index);
  for (const [pod, count] of largestFirst) {
    const placed = placeOn(placing, pod, others, count);
    if (placed < count) left.set(pod, count - placed);
  }
  return left;
};

/** Takes a node away and places its pods on the others; false, with everything as before, if they do not fit. */
const vacate = (
  placing: Placing,
  classes: Classes,
  { moving }: Candidate,
  node: SimNode,
  others: SimNode[],
): boolean => {
  const mark = placing.cluster.mark();
  if (moveAll(placing, classes, [{ node, moving }], others).size === 0) return true;
  placing.cluster.rollback(mark);
  node.isTarget = true;
  return false;
};

/** Pods on the node, with those that the simulation placed there. */
export const podsOn = ({ hosted }: SimNode): number => hosted.values().reduce((total, count) => total + count, 0);

/**
 * Decides one candidate after the other, each in the cluster without the ones before it. Pods move to
 * nodes that stay in any case first, then to the most used candidates, which come last themselves. A
 * candidate that received pods stays: those of others, or pending ones.
 */
export function* unneededOf(
  placing: Placing,
  classes: Classes,
  candidates: readonly Candidate[],
  simulated: ReadonlyMap<string, SimNode>,
): Steps<Unneeded> {
  const ordered = candidates.toSorted(byUse);
  const nodeOf = ({ node }: Candidate) => simulated.get(node.name)!;
  const own = new Set(ordered.map(nodeOf));
  const staying = [...simulated.values()].filter((node) => !own.has(node) && node.origin === 'existing');
  const targets = [...staying, ...ordered.map(nodeOf).reverse()].filter(({ isTarget }) => isTarget);
  const result: Unneeded = { unneeded: [], needed: [] };
  for (const candidate of ordered) {
    yield;
    const node = nodeOf(candidate);
    const hasReceived = podsOn(node) > candidate.pods.length;
    if (!hasReceived && vacate(placing, classes, candidate, node, targets)) result.unneeded.push(candidate);
    else result.needed.push(candidate);
  }
  return result;
}
