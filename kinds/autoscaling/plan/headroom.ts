/**
 * The headroom of pools as pods that exist in a decision only: they are placed last, and a node that
 * they need is bought, or kept. Pure.
 */
import type { PodClass } from './classes.ts';
import type { SimNode } from './cluster.ts';
import type { HeadroomState } from './decision.ts';
import type { Wanted } from './pack.ts';
import type { Outcome } from './report.ts';
import type { Pod, Pool } from './types.ts';

/** Below every priority that a pod can have. */
const lowest = -(2 ** 31);

const podsOf = ({ id, headroom, template, held }: Pool): Pod[] => {
  if (!headroom || held) return [];
  const { pods, requests } = headroom;
  const shape = {
    pool: id,
    labels: {},
    requests,
    priority: lowest,
    tolerations: (template?.taints ?? []).map(({ key, effect }) => ({ key, operator: 'Exists', effect })),
  };
  const owner = { kind: 'Headroom', name: id };
  return Array.from({ length: pods }, (_, at) => ({ namespace: '', name: `${id}/${at}`, owner, shape, createdAt: 0 }));
};

export const headroomPods = (pools: readonly Pool[]): Pod[] => pools.flatMap(podsOf);

export const isHeadroom = ({ shape }: Pick<PodClass, 'shape'>): boolean => shape.pool !== undefined;

/** Whether the node keeps headroom free. */
export const keepsHeadroom = ({ hosted }: SimNode): boolean => hosted.keys().some(isHeadroom);

/** Used nodes first, so that headroom keeps no empty node while there is room on others. */
export const byUse = (a: SimNode, b: SimNode): number => {
  const used = ({ hosted }: SimNode) => hosted.values().reduce((sum, count) => sum + count, 0);
  return used(b) - used(a) || a.index - b.index;
};

export const headroomStates = (
  pools: readonly Pool[],
  wanted: readonly Wanted[],
  outcomes: ReadonlyMap<PodClass, Outcome>,
): HeadroomState[] =>
  pools.flatMap(({ id, headroom, held }) => {
    if (!headroom || held) return [];
    const pod = wanted.find((one) => one.pod.shape.pool === id)?.pod;
    const { left = 0, reasons = {} } = (pod && outcomes.get(pod)) ?? {};
    return [{ pool: id, pods: headroom.pods, left, ...(left > 0 && { reason: reasons[id] ?? '' }) }];
  });
