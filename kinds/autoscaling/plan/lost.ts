/**
 * Machines that stand for no capacity: the cloud refused them, they made no Node in time, or they
 * failed. Their replicas are given back. Those that the pool's minimum keeps are replaced: deleted,
 * so that the MachineSet creates others. Pure.
 */
import type { Removal } from './decision.ts';
import { provisionBlockedUntil } from './history.ts';
import { inState, type PoolMachines } from './machines.ts';
import type { Pool, PoolHistory } from './types.ts';

export type Lost = {
  /** Given back with their replicas. */
  remove: Removal[];
  replace: Removal[];
  /** When a Machine may be replaced that may not now. */
  replaceAt?: number;
};

/** The provider itself tries again while it has no capacity, so that a new Machine would gain nothing. */
const isReplaceable = ({ reason }: Removal): boolean => reason !== 'InsufficientCapacity';

export const lostOf = (pool: Pool, machines: PoolMachines, past: PoolHistory, now: number): Lost => {
  if (pool.held) return { remove: [], replace: [] };
  const removals = (['refused', 'expired', 'failed'] as const).flatMap((state) =>
    inState(machines, state).map(
      ({ name, node }): Removal => ({
        pool: pool.id,
        machine: name,
        ...(node !== undefined && { node }),
        reason: ({ refused: 'InsufficientCapacity', expired: 'NotProvisioned', failed: 'Failed' } as const)[state],
      }),
    ),
  );
  // A rollout keeps its nodes although its new Machines fail: each of them is a replica, too.
  const most = Math.max(0, pool.replicas - Math.max(pool.min, inState(machines, 'node').length));
  const remove = removals.slice(0, most);
  const kept = pool.cannotCreate === undefined ? removals.slice(most).filter(isReplaceable) : [];
  const at = provisionBlockedUntil(past);
  if (kept.length === 0 || at <= now) return { remove, replace: kept };
  return { remove, replace: [], replaceAt: at };
};
