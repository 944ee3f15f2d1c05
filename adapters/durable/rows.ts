/** The items of a table as rows of SQLite. */
import type { DatabaseSync } from 'node:sqlite';
import { deserialize } from 'node:v8';
import type { Item } from '../../machinery/ports.ts';

/**
 * `ends` is the expiry of an item with a TTL, in epoch seconds, and null for all other items. Items
 * with a TTL need not be in memory.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS items (
    store TEXT NOT NULL, pk TEXT NOT NULL, sk NOT NULL, item BLOB NOT NULL, ends INTEGER);
  CREATE UNIQUE INDEX IF NOT EXISTS items_by_key ON items (store, pk, sk);
  CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY AUTOINCREMENT, store TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS records_by_id ON records (store, id);
`;
const indexes = `
  CREATE INDEX IF NOT EXISTS items_ending ON items (ends) WHERE ends IS NOT NULL;
  CREATE INDEX IF NOT EXISTS items_staying ON items (store) WHERE ends IS NULL;
`;

/** SQLite sorts text by UTF-8 bytes, tables by UTF-16 code units: the orders differ for surrogates. */
export const sortsOtherwise = (sk: Item['sk']): boolean => typeof sk === 'string' && /[\ud800-\udfff]/.test(sk);

/** The value of the column `ends`. */
export const endOf = ({ sk, ttl }: Item): number | null =>
  typeof ttl === 'number' && !sortsOtherwise(sk) ? Math.ceil(ttl) : null;

export const itemIn = (row: unknown): Item => deserialize((row as { item: Uint8Array }).item) as Item;

/** Rows that are in memory at once. */
const chunk = 1000;

const noteEnds = (database: DatabaseSync): void => {
  const select = database.prepare('SELECT rowid, item FROM items WHERE rowid > ? ORDER BY rowid LIMIT ?');
  const update = database.prepare('UPDATE items SET ends = ? WHERE rowid = ?');
  for (let rows = select.all(0, chunk); rows.length > 0; rows = select.all(rows.at(-1)!.rowid as number, chunk))
    for (const row of rows) {
      const ends = endOf(itemIn(row));
      if (ends !== null) update.run(ends, row.rowid as number);
    }
};

/** Creates missing tables, columns and indexes, including those of an older release's database. */
export const prepareDatabase = (database: DatabaseSync): void => {
  database.exec(`BEGIN IMMEDIATE; ${schema}`);
  const columns = database.prepare("SELECT name FROM pragma_table_info('items')").all();
  if (!columns.some(({ name }) => name === 'ends')) {
    database.exec('ALTER TABLE items ADD COLUMN ends INTEGER');
    noteEnds(database);
  }
  database.exec(`${indexes} COMMIT`);
};
