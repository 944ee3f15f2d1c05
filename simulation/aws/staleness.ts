/** Eventual consistency: for a moment after a change, one read may see the state before it and the next the state after. */
import type { Call } from './state.ts';

/**
 * Whether this read misses what happened at `since`. Seeded, and never true after the consistency
 * window.
 */
export const missesChange = ({ account, now }: Call, since: number): boolean => {
  const { inconsistency, staleReads } = account.behaviour;
  return now - since < inconsistency / account.speed && account.random.next() < staleReads;
};

/** Whether this read misses the record. Resources that AWS provides are always visible. */
export const isStale = (call: Call, record: { created: number; provided?: boolean }): boolean =>
  !record.provided && missesChange(call, record.created);
