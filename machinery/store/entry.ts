/** One entry of the log, as the sweep looks for one that dispatch has not handled. */
import type { Table } from '../ports.ts';
import { isSeal, slotKey } from './items.ts';
import { logEntryOf } from './routing.ts';
import type { LogEntry } from './store.ts';

/** `unused`: its writer gave up. `forgotten`: it is too old, so a change may have been there. */
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
