/** What a decision says of the pods without a node. Pure. */
import type { Classes, PodClass } from './classes.ts';
import type { SimNode } from './cluster.ts';
import type { PodGroup } from './decision.ts';
import type { Demand } from './demand.ts';
import { isHeadroom } from './headroom.ts';
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

type Waiting = ReadonlyMap<PodClass, readonly Pod[]>;

/** Pods on new nodes by class and pool: those that wait, and those of nodes in deletion, which count last. */
const placedOn = (added: readonly SimNode[], waiting: Waiting) => {
  const left = new Map([...waiting].map(([pod, { length }]) => [pod, length]));
  const onNew = new Map<PodClass, Record<string, number>>();
  const displaced: Record<string, number> = {};
  const add = (counts: Record<string, number>, pool: string, count: number) => {
    if (count > 0) counts[pool] = (counts[pool] ?? 0) + count;
  };
  for (const { pool = '', hosted } of added)
    for (const [pod, count] of hosted) {
      if (isHeadroom(pod)) continue;
      const own = Math.min(count, left.get(pod) ?? 0);
      left.set(pod, (left.get(pod) ?? 0) - own);
      const counts = onNew.get(pod) ?? {};
      onNew.set(pod, counts);
      add(counts, pool, own);
      add(displaced, pool, count - own);
    }
  return { onNew, displaced };
};

/** Pods of nodes in deletion for which pools are scaled up, by pool. */
export const displacedOn = (demand: Demand, classes: Classes, added: readonly SimNode[]): Record<string, number> =>
  placedOn(added, waitingOf(demand, classes)).displaced;

const waitingOf = ({ wanted }: Demand, classes: Classes): Waiting => Map.groupBy(wanted, (pod) => classes.of(pod));

export type Outcome = { left: number; onExisting: number; onUpcoming: number; reasons: Record<string, string> };

export const podGroups = (
  demand: Demand,
  classes: Classes,
  added: readonly SimNode[],
  outcomes: ReadonlyMap<PodClass, Outcome>,
): PodGroup[] => {
  const wanted = waitingOf(demand, classes);
  const { onNew } = placedOn(added, wanted);
  const placed = [...wanted].map(([pod, pods]) => ({
    ...groupOf(pods, pod),
    ...outcomes.get(pod),
    onNew: onNew.get(pod) ?? {},
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
