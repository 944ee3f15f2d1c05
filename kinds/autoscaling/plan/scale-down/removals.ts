/** Which unneeded nodes are removed now, within the limits of their pools and the disruption budgets. Pure. */
import type { NodeState, Removal } from '../decision.ts';
import { inState, type PoolMachines } from '../machines.ts';
import type { History, Pool, Settings } from '../types.ts';
import { type Budgets, takeAll } from './budgets.ts';
import type { Candidate, Unremovable } from './candidates.ts';

const minute = 60_000;

export type PoolBudget = { removable: number; atOnce: { empty: number; used: number }; leaving: number };

/** Empty nodes that a small pool loses at once, as many as with cluster-autoscaler: no pod moves. */
const emptyAtOnce = 10;

const poolBudget = (pool: Pool, machines: PoolMachines): PoolBudget => {
  const { removedPercent } = pool.options ?? {};
  const used = Math.max(1, Math.floor((pool.replicas * (removedPercent ?? 10)) / 100));
  return {
    removable: Math.max(0, pool.replicas - pool.min),
    atOnce: { used, empty: removedPercent === undefined ? Math.max(used, emptyAtOnce) : used },
    leaving: inState(machines, 'leaving').length,
  };
};

export type Removals = {
  remove: Removal[];
  nodes: NodeState[];
  nextDue: number[];
  /** What is left of a pool's budget. */
  budgetOf(pool: Pool): PoolBudget;
};

/** When removals of the pool are allowed again. */
export const frozenUntil = (pool: Pool, history: History, settings: Settings): number => {
  const { delayAfterScaleUp = 10 * minute, delayAfterFailedRemoval = 3 * minute } = settings;
  const scaledUp = history.pools?.[pool.id]?.scaledUpAt;
  return Math.max(
    scaledUp === undefined ? 0 : scaledUp + delayAfterScaleUp,
    history.failedRemovalAt === undefined ? 0 : history.failedRemovalAt + delayAfterFailedRemoval,
  );
};

export type RemovalInputs = {
  unneeded: readonly Candidate[];
  since: Readonly<Record<string, number>>;
  machines: ReadonlyMap<Pool, PoolMachines>;
  budgets: Budgets;
  history: History;
  settings: Settings;
  now: number;
};

const reasonOf = ({ node, moving }: Candidate): Removal['reason'] =>
  node.ready ? (moving.length === 0 ? 'Empty' : 'Underutilized') : 'Unready';

export const removalsOf = (inputs: RemovalInputs): Removals => {
  const { since, machines, budgets, history, settings, now } = inputs;
  const pools = new Map<Pool, PoolBudget>();
  const budgetOf = (pool: Pool) => {
    const known = pools.get(pool) ?? poolBudget(pool, machines.get(pool)!);
    pools.set(pool, known);
    return known;
  };
  const result: Removals = { remove: [], nodes: [], nextDue: [], budgetOf };
  const obstacle = (candidate: Candidate): Unremovable | undefined => {
    const { node, pool, unneededTime, moving } = candidate;
    const due = since[node.name]! + unneededTime;
    const frozen = frozenUntil(pool, history, settings);
    const { removable, atOnce, leaving } = budgetOf(pool);
    if (removable === 0)
      return { reason: 'NodeGroupMinSizeReached', message: `the pool has its minimum of ${pool.min}` };
    if (due > now) {
      result.nextDue.push(due);
      return node.ready
        ? { reason: 'NotUnneededLongEnough', message: `unneeded until ${iso(due)} before it is removed` }
        : { reason: 'NotUnreadyLongEnough', message: `unready until ${iso(due)} before it is removed` };
    }
    if (frozen > now) {
      result.nextDue.push(frozen);
      return { reason: 'NotUnneededOtherReason', message: `removals of the pool wait until ${iso(frozen)}` };
    }
    if (leaving >= (moving.length === 0 ? atOnce.empty : atOnce.used))
      return { reason: 'NodeGroupMaxDeletionCountReached', message: 'enough nodes of the pool are removed at once' };
    const refused = takeAll(budgets, moving);
    if (refused) return { reason: 'BlockedByPod', message: `pod ${refused.namespace}/${refused.name}: NotEnoughPdb` };
    return undefined;
  };
  for (const candidate of inputs.unneeded) {
    const { node, pool, machine } = candidate;
    const found = obstacle(candidate);
    if (found) result.nodes.push({ node: node.name, pool: pool.id, ...found });
    else {
      const budget = budgetOf(pool);
      budget.removable--;
      budget.leaving++;
      result.remove.push({ pool: pool.id, machine: machine.name, node: node.name, reason: reasonOf(candidate) });
    }
  }
  return result;
};

export const iso = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, '');
