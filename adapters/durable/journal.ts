/**
 * Group commit: all changes of a database's tables within one turn of the event loop become one
 * transaction. Later writes see a change at once. A call that shows a change returns only when the
 * change is on disk.
 */
import type { DatabaseSync } from 'node:sqlite';
import { serialize } from 'node:v8';
import type { Clock, Item, ItemKey } from '../../machinery/ports.ts';
import type { Effect } from '../memory/table.ts';
import { endOf } from './rows.ts';

/** A table, which the journal notifies when its changes are on disk or the transaction failed. */
export interface Participant {
  name: string;
  /** The item in memory. */
  resident(key: ItemKey): Item | undefined;
  /** Restores the item in memory after a failed transaction. */
  restore(key: ItemKey, before: Item | undefined): void;
  /** The changes of a turn are on disk. */
  saved(): void;
}

interface Change {
  key: ItemKey;
  /** Undefined for a deletion. */
  item: Item | undefined;
  /** The item in memory before the turn. */
  before: Item | undefined;
}

/** A partition's changes by their sort key. */
type Partition = Map<ItemKey['sk'], Change>;

export interface Journal {
  add(table: Participant, effect: Effect): void;
  /** The changes of a partition that are not on disk yet. */
  pending(table: Participant, pk: string): ReadonlyMap<ItemKey['sk'], { item: Item | undefined }> | undefined;
  /** Resolves when all changes so far are on disk; undefined when they already are. Rejects when the write fails. */
  saving(): Promise<void> | undefined;
  /** Writes pending changes at once. Throws when the transaction fails. */
  flush(): void;
}

/** Expired rows that one transaction deletes: a turn must stay short. */
const mostEnded = 1000;
const minute = 60_000;

const openBatch = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Each writer handles the rejection; a batch without a writer must not become an unhandled one.
  promise.catch(() => undefined);
  return { changes: new Map<Participant, Map<string, Partition>>(), promise, resolve, reject };
};

/** `defer` schedules the flush for the end of the turn, after all changes of that turn. */
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
      // When the disk is full SQLite has already rolled back; keep its first error, which says why.
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
      // The promise of the batch has passed the error to each writer.
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
