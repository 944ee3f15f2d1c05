/** A table whose changes are in SQLite before they are acknowledged. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Table } from '../../machinery/ports.ts';
import { memoryTable } from '../memory/table.ts';
import type { Journal } from './journal.ts';
import { type Recent, SpillingItems } from './spilling.ts';

/** Shared by the tables of a database. */
export interface TableContext {
  database: DatabaseSync;
  journal: Journal;
  recent: Recent;
  clock: Clock;
}

/** Resolves when everything that the answer shows is on disk. */
const answered = async <T>(doing: Promise<T>, saving: Promise<void> | undefined): Promise<T> => {
  if (saving) {
    doing.catch(() => undefined);
    await saving;
  }
  return doing;
};

/** A table of a database. */
export const openTable = ({ database, journal, recent, clock }: TableContext, name: string): Table => {
  const store = new SpillingItems(database, name, journal, recent);
  const table = memoryTable({ clock, store, persist: (effect) => journal.add(store, effect) });
  return {
    showsTransactionsWhole: true,
    get: (key, options) => {
      const isPending = journal.pending(store, key.pk)?.has(key.sk);
      return answered(table.get(key, options), isPending ? journal.saving() : undefined);
    },
    query: (query) => answered(table.query(query), journal.pending(store, query.pk) ? journal.saving() : undefined),
    write: (write) => {
      const doing = table.write(write);
      return answered(doing, journal.saving());
    },
    transact: async (token, writes) => {
      const wasDone = table.isDone(token);
      const doing = table.transact(token, writes);
      try {
        await answered(doing, journal.saving());
      } catch (error) {
        if (!wasDone) table.forget(token);
        throw error;
      }
    },
  };
};
