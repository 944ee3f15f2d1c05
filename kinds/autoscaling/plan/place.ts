/** First fit: places the pods of a class on given nodes. */
import type { PodClass } from './classes.ts';
import type { Cluster, SimNode } from './cluster.ts';
import { room, type StaticFits, verdict } from './fit.ts';

export type Placing = {
  cluster: Cluster;
  fits: StaticFits;
  /** False for nodes on which such pods are known not to run. */
  admits?: (pod: PodClass, node: SimNode) => boolean;
};

const put = ({ cluster }: Placing, pod: PodClass, node: SimNode, count: number): number => {
  cluster.place(pod, node, count);
  return count;
};

/**
 * Pods that depend on others are placed one by one, in rounds: a pod on one node may admit the next
 * on a node that refused it before. A node that can never admit another leaves the rounds.
 */
const placeOneByOne = (placing: Placing, pod: PodClass, nodes: SimNode[], count: number): number => {
  let left = count;
  let open = nodes;
  for (let before = -1; left > 0 && before !== left; ) {
    before = left;
    open = open.filter((node) => {
      if (left === 0 || room(pod, node, 1) === 0) return false;
      let answer = verdict(placing.cluster, pod, node);
      while (answer === 'yes' && left > 0 && room(pod, node, 1) > 0) {
        left -= put(placing, pod, node, 1);
        answer = verdict(placing.cluster, pod, node);
      }
      return answer !== 'never';
    });
  }
  return count - left;
};

/** Returns how many of the pods were placed. */
export const placeOn = (placing: Placing, pod: PodClass, nodes: readonly SimNode[], count: number): number => {
  const isCandidate = (node: SimNode) =>
    node.isTarget && placing.fits.allows(pod, node) && (placing.admits?.(pod, node) ?? true);
  if (placing.cluster.isTopological(pod)) return placeOneByOne(placing, pod, nodes.filter(isCandidate), count);
  let left = count;
  for (const node of nodes) {
    if (left === 0) break;
    const fitting = room(pod, node, left);
    if (fitting > 0 && isCandidate(node)) left -= put(placing, pod, node, fitting);
  }
  return count - left;
};
