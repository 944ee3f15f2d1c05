/**
 * One directory of durable state: a change is in SQLite before it is acknowledged, and survives kill -9 at
 * any moment.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../machinery/ports.ts';
import type { Records, Storage } from '../../simulation/ports.ts';
import { systemClock } from '../memory/clock.ts';
import { memoryRecords, once } from '../memory/storage.ts';
import { type Journal, openJournal } from './journal.ts';
import { prepareDatabase } from './rows.ts';
import { Recent } from './spilling.ts';
import { openTable } from './table.ts';

export interface DurableStorage extends Storage {
  /** Releases the directory. */
  close(): void;
}

export interface StorageOptions {
  /** Bytes of items with a TTL that stay in memory. */
  recentBytes?: number;
}

const busy = 5;
const isBusy = (error: unknown) => (error as { errcode?: number }).errcode === busy;

/** Locks the file until it is closed or the process ends. */
const openDatabase = (directory: string): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, 'state.sqlite');
    // Sets the mode before SQLite creates its journal, which inherits it.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    database = new DatabaseSync(file);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    prepareDatabase(database);
    return database;
  } catch (error) {
    database?.close();
    const why = isBusy(error) ? 'another process uses it' : (error as Error).message;
    throw new Error(`cannot open ${directory}: ${why}`, { cause: error });
  }
};

/** Bytes of memory for a directory's items with a TTL, which lists and watches read again. */
const mostRecent = 16 * 1024 * 1024;

const openRecords = (database: DatabaseSync, journal: Journal, name: string): Records<unknown> => {
  const put = database.prepare(
    'INSERT INTO records (store, id, value) VALUES (?, ?, ?) ON CONFLICT (store, id) DO UPDATE SET value = excluded.value',
  );
  const remove = database.prepare('DELETE FROM records WHERE store = ? AND id = ?');
  const rows = database.prepare('SELECT id, value FROM records WHERE store = ? ORDER BY number').all(name);
  return memoryRecords(
    rows.map(({ id, value }) => [id as string, value as string]),
    (id, text) => {
      // In the order of the changes.
      journal.flush();
      if (text === undefined) remove.run(name, id);
      else put.run(name, id, text);
    },
  );
};

/**
 * Opens a directory and creates it if missing. Throws one clear error if it cannot, or if another process has
 * it.
 */
export const openStorage = (
  directory: string,
  clock: Clock = systemClock,
  { recentBytes = mostRecent }: StorageOptions = {},
): DurableStorage => {
  const database = openDatabase(directory);
  // A test clock waits for microtasks only.
  const journal = openJournal(database, clock, clock === systemClock ? setImmediate : queueMicrotask);
  const recent = new Recent(recentBytes);
  const tables = once((name) => openTable({ database, journal, recent, clock }, name));
  const records = once((name) => openRecords(database, journal, name));
  return {
    table: tables.of,
    records: <T>(name: string) => records.of(name) as Records<T>,
    dropTable: (name) => {
      journal.flush();
      tables.forget(name);
      database.prepare('DELETE FROM items WHERE store = ?').run(name);
    },
    close: () => {
      journal.flush();
      database.close();
    },
  };
};
