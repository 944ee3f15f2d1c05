/** The current items of a table, from all effects so far. */
import type { Effect } from '../../../adapters/memory/table.ts';
import type { Item, ItemKey } from '../../../machinery/ports.ts';

export const createLedger = (from: readonly Item[] = []) => {
  const nameOf = ({ pk, sk }: ItemKey) => `${pk}\n${typeof sk} ${sk}`;
  const items = new Map(from.map((item) => [nameOf(item), item]));
  return {
    items: () => [...items.values()],
    persist: ({ put, deleted }: Effect) => {
      for (const item of put) items.set(nameOf(item), item);
      for (const key of deleted) items.delete(nameOf(key));
    },
  };
};
