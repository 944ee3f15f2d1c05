/** One entry of the log, for a sweep that looks for changes without dispatch. */
import type { Table } from '../ports.ts';
import { isSeal, slotKey } from './items.ts';
import { logEntryOf } from './routing.ts';
import type { LogEntry } from './store.ts';

/**
 * `unused`: its writer gave up. `forgotten`: the slot has expired, so it may have held a change.
 */
export const entryAt = async (
  table: Pick<Table, 'get'>,
  type: string,
  position: number,
): Promise<LogEntry | 'unused' | 'forgotten'> => {
  const slot = await table.get(slotKey(type, position), { consistent: true });
  if (!slot || slot.expired) return 'forgotten';
  if (isSeal(slot)) return 'unused';
  return logEntryOf(slot) ?? 'forgotten';
};
