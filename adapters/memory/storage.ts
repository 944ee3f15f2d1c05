import type { Clock, Table } from '../../machinery/ports.ts';
import type { Records, Storage } from '../../simulation/ports.ts';
import { memoryTable } from './table.ts';

/** Called before a change to the records is visible; `undefined` deletes. */
export type PersistRecord = (id: string, text: string | undefined) => void;

/** Records stored as JSON, so that readers get copies. */
export const memoryRecords = <T>(texts: Iterable<[string, string]> = [], persist?: PersistRecord): Records<T> => {
  const kept = new Map(texts);
  return {
    entries: () => [...kept].map(([id, text]) => [id, JSON.parse(text) as T]),
    get: (id) => {
      const text = kept.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    put: (id, value) => {
      const text = JSON.stringify(value);
      if (kept.get(id) === text) return;
      persist?.(id, text);
      kept.set(id, text);
    },
    delete: (id) => {
      if (!kept.has(id)) return;
      persist?.(id, undefined);
      kept.delete(id);
    },
  };
};

/** Memoises `make` by name. */
export const once = <V>(make: (name: string) => V) => {
  const made = new Map<string, V>();
  return {
    of: (name: string): V => {
      const known = made.get(name);
      if (known !== undefined) return known;
      const fresh = make(name);
      made.set(name, fresh);
      return fresh;
    },
    forget: (name: string) => made.delete(name),
  };
};

/** State that ends with the process. */
export const memoryStorage = (clock: Clock): Storage => {
  const records = once<Records<unknown>>(() => memoryRecords());
  const tables = once<Table>(() => memoryTable({ clock }));
  return {
    records: <T>(name: string) => records.of(name) as Records<T>,
    table: tables.of,
    dropTable: tables.forget,
  };
};
