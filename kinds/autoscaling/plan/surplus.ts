/** Machines beyond the maximum of their pool, which a user or its schedule lowered. Pure. */
import type { Removal } from './decision.ts';
import type { PoolMachines } from './machines.ts';
import { staysBehind } from './scale-down/blockers.ts';
import type { Machine, Pod, Pool } from './types.ts';

const movingOn = (node: string, pods: ReadonlyMap<string, Pod[]>): number =>
  (pods.get(node) ?? []).filter((pod) => !staysBehind(pod)).length;

/** Machines without a node leave first, then those whose nodes have the fewest pods to move. */
const byLoss = (pods: ReadonlyMap<string, Pod[]>) => (a: Machine, b: Machine) => {
  const loss = ({ node }: Machine) => (node === undefined ? -1 : movingOn(node, pods));
  return loss(a) - loss(b) || (a.name < b.name ? -1 : 1);
};

export const isClamped = ({ held, rollingOut }: Pool): boolean => !held && !rollingOut;

export const surplusOf = (
  pool: Pool,
  { states, uncreated }: PoolMachines,
  removed: readonly Removal[],
  pods: ReadonlyMap<string, Pod[]>,
): Removal[] => {
  if (!isClamped(pool)) return [];
  const leaving = new Set(removed.filter((one) => one.pool === pool.id).map(({ machine }) => machine));
  const surplus = pool.replicas - leaving.size - uncreated - pool.max;
  if (surplus <= 0) return [];
  return [...states]
    .flatMap(([machine, state]) => (state === 'leaving' || leaving.has(machine.name) ? [] : [machine]))
    .sort(byLoss(pods))
    .slice(0, surplus)
    .map(({ name, node }) => ({
      pool: pool.id,
      machine: name,
      ...(node !== undefined && { node }),
      reason: 'MaxSize' as const,
    }));
};
