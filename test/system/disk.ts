/** The durable state of a world at one moment, which outlives a process and can be copied. */
import { memoryRecords, once } from '../../adapters/memory/storage.ts';
import { type Effect, memoryTable } from '../../adapters/memory/table.ts';
import type { Clock, Item, ItemKey, Table } from '../../machinery/ports.ts';
import type { Records, Storage } from '../../simulation/ports.ts';

/** Items are frozen, as tables return them, so copies share them. */
export interface Copy {
  tables: Readonly<Record<string, readonly Item[]>>;
  records: Readonly<Record<string, readonly [string, string][]>>;
}
export interface Disk {
  storage: Storage;
  copy(): Copy;
}

const nameOf = ({ pk, sk }: ItemKey) => `${pk}\n${typeof sk} ${sk}`;

export const openDisk = (clock: Clock, from: Copy = { tables: {}, records: {} }): Disk => {
  const left = new Map(Object.entries(from.tables));
  const tables = new Map<string, Map<string, Item>>();
  const records = new Map<string, Map<string, string>>();
  const openTable = (name: string): Table => {
    const items = new Map((left.get(name) ?? []).map((item) => [nameOf(item), item]));
    tables.set(name, items);
    const persist = ({ put, deleted }: Effect) => {
      for (const item of put) items.set(nameOf(item), item);
      for (const key of deleted) items.delete(nameOf(key));
    };
    return memoryTable({ clock, items: items.values(), persist });
  };
  const openRecords = (name: string): Records<unknown> => {
    const texts = new Map(from.records[name]);
    records.set(name, texts);
    return memoryRecords<unknown>(texts, (id, text) => (text === undefined ? texts.delete(id) : texts.set(id, text)));
  };
  const table = once(openTable);
  const recordsOf = once(openRecords);
  for (const name of Object.keys(from.tables)) table.of(name);
  for (const name of Object.keys(from.records)) recordsOf.of(name);
  return {
    storage: {
      records: <T>(name: string) => recordsOf.of(name) as Records<T>,
      table: table.of,
      dropTable: (name) => {
        table.forget(name);
        tables.delete(name);
        left.delete(name);
      },
    },
    copy: () => ({
      tables: Object.fromEntries([...tables].map(([name, items]) => [name, [...items.values()]])),
      records: Object.fromEntries([...records].map(([name, texts]) => [name, [...texts]])),
    }),
  };
};
