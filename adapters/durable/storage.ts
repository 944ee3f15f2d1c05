/**
 * One directory of durable state: what the memory adapters hold is written through to SQLite before it becomes visible, each
 * write or transaction of a table as one transaction of the database. It outlives kill -9 at any moment.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Clock, Item, Table } from '../../machinery/ports.ts';
import type { Records, Storage } from '../../simulation/ports.ts';
import { systemClock } from '../memory/clock.ts';
import { memoryRecords, once } from '../memory/storage.ts';
import { type Effect, memoryTable } from '../memory/table.ts';

export interface DurableStorage extends Storage {
  /** Lets go of the directory. */
  close(): void;
}

const busy = 5;
const isBusy = (error: unknown) => (error as { errcode?: number }).errcode === busy;

const schema = `
  CREATE TABLE IF NOT EXISTS items (store TEXT NOT NULL, pk TEXT NOT NULL, sk NOT NULL, item BLOB NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS items_by_key ON items (store, pk, sk);
  CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY AUTOINCREMENT, store TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS records_by_id ON records (store, id);
`;

/** Holds the file for this process alone until it is closed or the process ends, however that happens. */
const openDatabase = (directory: string): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, 'state.sqlite');
    // Before anything is in it: the journal beside it takes over its mode.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    database = new DatabaseSync(file);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`);
    return database;
  } catch (error) {
    database?.close();
    const why = isBusy(error) ? 'another process uses it' : (error as Error).message;
    throw new Error(`cannot open ${directory}: ${why}`, { cause: error });
  }
};

const openTable = (database: DatabaseSync, name: string, clock: Clock): Table => {
  const put = database.prepare(
    'INSERT INTO items (store, pk, sk, item) VALUES (?, ?, ?, ?) ON CONFLICT (store, pk, sk) DO UPDATE SET item = excluded.item',
  );
  const remove = database.prepare('DELETE FROM items WHERE store = ? AND pk = ? AND sk = ?');
  const persist = (effect: Effect) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { pk, sk } of effect.deleted) remove.run(name, pk, sk);
      for (const item of effect.put) put.run(name, item.pk, item.sk, serialize(item));
      database.exec('COMMIT');
    } catch (error) {
      // Without room SQLite has rolled back by itself: why it had none is what is to be told.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  const rows = database.prepare('SELECT item FROM items WHERE store = ?').all(name);
  const items = rows.map(({ item }) => deserialize(item as Uint8Array) as Item);
  return memoryTable({ clock, persist, items });
};

const openRecords = (database: DatabaseSync, name: string): Records<unknown> => {
  const put = database.prepare(
    'INSERT INTO records (store, id, value) VALUES (?, ?, ?) ON CONFLICT (store, id) DO UPDATE SET value = excluded.value',
  );
  const remove = database.prepare('DELETE FROM records WHERE store = ? AND id = ?');
  const rows = database.prepare('SELECT id, value FROM records WHERE store = ? ORDER BY number').all(name);
  return memoryRecords(
    rows.map(({ id, value }) => [id as string, value as string]),
    (id, text) => (text === undefined ? remove.run(name, id) : put.run(name, id, text)),
  );
};

/** Opens a directory, making it if missing. Throws one clear error when it cannot, or another process has it. */
export const openStorage = (directory: string, clock: Clock = systemClock): DurableStorage => {
  const database = openDatabase(directory);
  const tables = once((name) => openTable(database, name, clock));
  const records = once((name) => openRecords(database, name));
  return {
    table: tables.of,
    records: <T>(name: string) => records.of(name) as Records<T>,
    dropTable: (name) => {
      tables.forget(name);
      database.prepare('DELETE FROM items WHERE store = ?').run(name);
    },
    close: () => database.close(),
  };
};
