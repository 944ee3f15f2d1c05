/** What a decision says of the pods without a node. Pure. */
import type { Classes, PodClass } from './classes.ts';
import type { SimNode } from './cluster.ts';
import type { PodGroup } from './decision.ts';
import type { Demand } from './demand.ts';
import type { Pod } from './types.ts';

const groupOf = (pods: readonly Pod[], { namespace, owner }: PodClass): PodGroup => ({
  namespace,
  owner,
  pod: pods[0]!.name,
  count: pods.length,
  onExisting: 0,
  onUpcoming: 0,
  onNew: {},
  left: 0,
  reasons: {},
});

const onNew = (added: readonly SimNode[], pod: PodClass): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { pool = '', hosted } of added) {
    const count = hosted.get(pod) ?? 0;
    if (count > 0) counts[pool] = (counts[pool] ?? 0) + count;
  }
  return counts;
};

export type Outcome = { left: number; onExisting: number; onUpcoming: number; reasons: Record<string, string> };

export const podGroups = (
  demand: Demand,
  classes: Classes,
  added: readonly SimNode[],
  outcomes: ReadonlyMap<PodClass, Outcome>,
): PodGroup[] => {
  const wanted = Map.groupBy(demand.wanted, (pod) => classes.of(pod));
  const placed = [...wanted].map(([pod, pods]) => ({
    ...groupOf(pods, pod),
    ...outcomes.get(pod),
    onNew: onNew(added, pod),
  }));
  const refused = Map.groupBy(demand.refused, ({ pod, reason }) => `${classes.of(pod).index} ${reason}`);
  return [
    ...placed,
    ...[...refused.values()].map((group) => ({
      ...groupOf(
        group.map(({ pod }) => pod),
        classes.of(group[0]!.pod),
      ),
      left: group.length,
      reasons: { '': group[0]!.reason },
    })),
  ];
};
