/**
 * Group commit: what the tables of one database change within a turn of the event loop is one transaction of it. A change is
 * visible to later writes at once; nothing that shows it is answered before it is on disk.
 */
import type { DatabaseSync } from 'node:sqlite';
import { serialize } from 'node:v8';
import type { Clock, Item, ItemKey } from '../../machinery/ports.ts';
import type { Effect } from '../memory/table.ts';
import { endOf } from './rows.ts';

/** What a table does when its changes are on disk, or could not be written. */
export interface Participant {
  name: string;
  /** The item that stands in memory. */
  resident(key: ItemKey): Item | undefined;
  /** Puts back what stood in memory before the changes that could not be written. */
  restore(key: ItemKey, before: Item | undefined): void;
  /** The changes of a turn are on disk. */
  saved(): void;
}

interface Change {
  key: ItemKey;
  /** Undefined when it is gone. */
  item: Item | undefined;
  /** What stood in memory before the turn. */
  before: Item | undefined;
}

/** A partition's changes by their sort key. */
type Partition = Map<ItemKey['sk'], Change>;

export interface Journal {
  add(table: Participant, effect: Effect): void;
  /** The changes of a partition that are not on disk yet. */
  pending(table: Participant, pk: string): ReadonlyMap<ItemKey['sk'], { item: Item | undefined }> | undefined;
  /** Resolves when everything changed so far is on disk; undefined when it is. Rejects when it cannot be written. */
  saving(): Promise<void> | undefined;
  /** Writes at once what is pending. Throws when it cannot. */
  flush(): void;
}

/** Rows that are deleted at once because they have ended: a turn must not take long. */
const mostEnded = 1000;
const minute = 60_000;

const openBatch = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Every writer waits for it; without one nothing is lost.
  promise.catch(() => undefined);
  return { changes: new Map<Participant, Map<string, Partition>>(), promise, resolve, reject };
};

/** `defer` calls at the end of the turn, when all that it brought has been changed. */
export const openJournal = (database: DatabaseSync, clock: Clock, defer: (flush: () => void) => void): Journal => {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const put = database.prepare(
    'INSERT INTO items (store, pk, sk, ends, item) VALUES (?, ?, ?, ?, ?) ON CONFLICT (store, pk, sk) DO UPDATE SET ends = excluded.ends, item = excluded.item',
  );
  const remove = database.prepare('DELETE FROM items WHERE store = ? AND pk = ? AND sk = ?');
  const removeEnded = database.prepare(
    'DELETE FROM items WHERE rowid IN (SELECT rowid FROM items WHERE ends <= ? LIMIT ?)',
  );
  let batch: ReturnType<typeof openBatch> | undefined;
  let nextRemoval = 0;

  const write = (changes: Map<Participant, Map<string, Partition>>) => {
    begin.run();
    try {
      const now = clock.now();
      if (now >= nextRemoval) {
        const { changes: removed } = removeEnded.run(Math.floor(now / 1000), mostEnded);
        nextRemoval = Number(removed) < mostEnded ? now + minute : now;
      }
      for (const [{ name }, partitions] of changes)
        for (const partition of partitions.values())
          for (const { key, item } of partition.values()) {
            if (item) put.run(name, key.pk, key.sk, endOf(item), serialize(item));
            else remove.run(name, key.pk, key.sk);
          }
      commit.run();
    } catch (error) {
      // Without room SQLite has rolled back by itself: its first error says why.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  const undo = (changes: Map<Participant, Map<string, Partition>>) => {
    for (const [table, partitions] of changes)
      for (const partition of partitions.values())
        for (const { key, before } of partition.values()) table.restore(key, before);
  };
  const flush = () => {
    const written = batch;
    if (!written) return;
    batch = undefined;
    try {
      write(written.changes);
    } catch (error) {
      undo(written.changes);
      written.reject(error);
      throw error;
    }
    for (const table of written.changes.keys()) table.saved();
    written.resolve();
  };
  const flushLater = () => {
    try {
      flush();
    } catch {
      // Its writers have it.
    }
  };

  return {
    add: (table, { put: items, deleted }) => {
      if (items.length + deleted.length === 0) return;
      if (!batch) {
        batch = openBatch();
        defer(flushLater);
      }
      const partitions = batch.changes.get(table) ?? new Map<string, Partition>();
      batch.changes.set(table, partitions);
      const note = ({ pk, sk }: ItemKey, item: Item | undefined) => {
        const partition = partitions.get(pk) ?? new Map<ItemKey['sk'], Change>();
        partitions.set(pk, partition);
        const known = partition.get(sk);
        if (known) known.item = item;
        else partition.set(sk, { key: { pk, sk }, item, before: table.resident({ pk, sk }) });
      };
      for (const key of deleted) note(key, undefined);
      for (const item of items) note(item, item);
    },
    pending: (table, pk) => batch?.changes.get(table)?.get(pk),
    saving: () => batch?.promise,
    flush,
  };
};
