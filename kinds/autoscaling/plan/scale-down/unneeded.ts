/** Which candidates are unneeded together: all their pods fit on the nodes that stay. */
import type { Classes, PodClass } from '../classes.ts';
import type { SimNode } from '../cluster.ts';
import { type Placing, placeOn } from '../place.ts';
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

/** Takes a node away and places its pods on the others; false, with everything as before, if they do not fit. */
const vacate = (
  placing: Placing,
  classes: Classes,
  { moving }: Candidate,
  node: SimNode,
  others: SimNode[],
): boolean => {
  const { cluster } = placing;
  const mark = cluster.mark();
  node.isTarget = false;
  const counts = new Map<PodClass, number>();
  for (const pod of moving) counts.set(classes.of(pod), (counts.get(classes.of(pod)) ?? 0) + 1);
  for (const [pod, count] of counts) cluster.remove(pod, node, count);
  const largestFirst = [...counts].sort(([a], [b]) => b.request[1]! - a.request[1]! || a.index - b.index);
  for (const [pod, count] of largestFirst) {
    if (placeOn(placing, pod, others, count) === count) continue;
    cluster.rollback(mark);
    node.isTarget = true;
    return false;
  }
  return true;
};

/**
 * Decides one candidate after the other, each in the cluster without the ones before it. Pods move to
 * nodes that stay in any case first, then to the most used candidates, which come last themselves. A
 * candidate that received pods stays: those of others, or pending ones.
 */
export const unneededOf = (
  placing: Placing,
  classes: Classes,
  candidates: readonly Candidate[],
  simulated: ReadonlyMap<string, SimNode>,
): Unneeded => {
  const ordered = candidates.toSorted(byUse);
  const nodeOf = ({ node }: Candidate) => simulated.get(node.name)!;
  const own = new Set(ordered.map(nodeOf));
  const staying = [...simulated.values()].filter((node) => !own.has(node) && node.origin === 'existing');
  const targets = [...staying, ...ordered.map(nodeOf).reverse()].filter(({ isTarget }) => isTarget);
  const podsOn = (node: SimNode) => node.hosted.values().reduce((total, count) => total + count, 0);
  const result: Unneeded = { unneeded: [], needed: [] };
  for (const candidate of ordered) {
    const node = nodeOf(candidate);
    const hasReceived = podsOn(node) > candidate.pods.length;
    if (!hasReceived && vacate(placing, classes, candidate, node, targets)) result.unneeded.push(candidate);
    else result.needed.push(candidate);
  }
  return result;
};
