/**
 * The items of a durable table. Memory holds all items without a TTL, and the newest items with one
 * (the log, tombstones, Events). The table reads the others from the database, so that memory and
 * start time of a process grow with objects, not with writes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Item, ItemKey, TableQuery } from '../../machinery/ports.ts';
import { type ItemStore, Partitions, sizeOf, written } from '../memory/partitions.ts';
import type { Entry } from '../memory/sorted-entries.ts';
import type { Journal, Participant } from './journal.ts';
import { endOf, itemIn, sortsOtherwise } from './rows.ts';

type SortKey = ItemKey['sk'];

/** Rows read at once. */
const chunk = 256;
/** Partitions for which the table caches whether they have items only on disk. */
const mostKnown = 10_000;
/** Bytes of memory that an item takes beyond its counted size. */
const overhead = 512;

/** The items with a TTL that the tables of one database keep in memory; evicts the oldest first. */
export class Recent {
  readonly #queue: { item: Item; size: number; evict: (item: Item) => void }[] = [];
  #first = 0;
  #bytes = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: Item, size: number, evict: (item: Item) => void): void {
    this.#queue.push({ item, size: size + overhead, evict });
    this.#bytes += size + overhead;
  }

  /** Must be called only when all its items are on disk. */
  trim(): void {
    while (this.#bytes > this.#most && this.#first < this.#queue.length) {
      const { item, size, evict } = this.#queue[this.#first++]!;
      this.#bytes -= size;
      evict(item);
    }
    if (this.#first > 1024 && this.#first * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
  }
}

export class SpillingItems implements ItemStore, Participant {
  readonly name: string;
  readonly #journal: Journal;
  readonly #recent: Recent;
  readonly #database: DatabaseSync;
  readonly #resident = new Partitions();
  /** By queried partition: the last key that may be on disk only; null when there is none. */
  readonly #lastSpilled = new Map<string, SortKey | null>();
  readonly #statements = new Map<string, StatementSync>();
  readonly #evict = (item: Item) => this.#spill(item);

  constructor(database: DatabaseSync, name: string, journal: Journal, recent: Recent) {
    this.name = name;
    this.#database = database;
    this.#journal = journal;
    this.#recent = recent;
    for (const row of database.prepare('SELECT item FROM items WHERE store = ? AND ends IS NULL').iterate(name)) {
      const item = itemIn(row);
      this.#resident.set(written({ put: item }, undefined, this.#resident.keyFor(item))!);
    }
  }

  resident(key: ItemKey): Item | undefined {
    return this.#resident.get(key);
  }

  restore(key: ItemKey, before: Item | undefined): void {
    if (before) this.set(before);
    else this.#resident.delete(key);
  }

  saved(): void {
    this.#recent.trim();
  }

  get(key: ItemKey): Item | undefined {
    const resident = this.#resident.get(key);
    if (resident || !this.#maySpill(key.pk, key.sk) || this.#isPending(key)) return resident;
    const row = this.#prepared('SELECT item FROM items WHERE store = ? AND pk = ? AND sk = ? AND ends IS NOT NULL').get(
      this.name,
      key.pk,
      key.sk,
    );
    return row && frozen(itemIn(row));
  }

  keyFor(key: ItemKey): ItemKey {
    return this.#resident.keyFor(key);
  }

  set(item: Item, size = sizeOf(item)): void {
    this.#resident.set(item, size);
    if (endOf(item) !== null) this.#recent.add(item, size, this.#evict);
  }

  delete(key: ItemKey): void {
    this.#resident.delete(key);
  }

  /** The journal deletes expired items that are only on disk. */
  removeEnded(now: number, isEnded: (item: Item) => boolean): ItemKey[] {
    return this.#resident.removeEnded(now, isEnded);
  }

  *all(): Generator<Entry> {
    yield* this.#resident.all();
    const rows = this.#prepared('SELECT pk, sk, item FROM items WHERE store = ? AND ends IS NOT NULL').all(this.name);
    for (const row of rows) {
      const item = itemIn(row);
      if (!this.#resident.get(item) && !this.#isPending(item)) yield { item: frozen(item), size: sizeOf(item) };
    }
  }

  *scan(query: TableQuery): Generator<Entry> {
    const { descending, from, after } = query;
    const lowest = descending ? from : higher(from, after?.sk);
    if (!this.#maySpill(query.pk, lowest)) {
      yield* this.#resident.scan(query);
      return;
    }
    const isBefore = (a: Entry, b: Entry) => (descending ? a.item.sk > b.item.sk : a.item.sk < b.item.sk);
    const spilled = this.#spilled(query);
    let next = spilled.next();
    for (const entry of this.#resident.scan(query)) {
      for (; !next.done && isBefore(next.value, entry); next = spilled.next()) yield next.value;
      yield entry;
    }
    for (; !next.done; next = spilled.next()) yield next.value;
  }

  /** Items that are only on disk, in the order of the query. */
  *#spilled(query: TableQuery): Generator<Entry> {
    const { pk, after, descending } = query;
    const [order, behind, until] = descending ? ['DESC', '<', '>='] : ['ASC', '>', '<='];
    const [begin, end] = descending ? [query.to, query.from] : [query.from, query.to];
    const isBehind = (sk: SortKey, bound: SortKey) => (descending ? sk < bound : sk > bound);
    /** The loop below checks bounds that SQLite sorts differently. */
    const known = (bound: SortKey | undefined) => bound !== undefined && !sortsOtherwise(bound);
    let last = after?.sk;
    for (;;) {
      const bounds = [
        ...(known(begin) ? [`AND sk ${behind}= ?`] : []),
        ...(known(end) ? [`AND sk ${until} ?`] : []),
        ...(known(last) ? [`AND sk ${behind} ?`] : []),
      ].join(' ');
      const rows = this.#prepared(
        `SELECT sk, item FROM items WHERE store = ? AND pk = ? AND ends IS NOT NULL ${bounds} ORDER BY sk ${order} LIMIT ${chunk}`,
      ).all(this.name, pk, ...([begin, end, last].filter(known) as SortKey[]));
      for (const row of rows) {
        const key = { pk, sk: row.sk as SortKey };
        if (end !== undefined && isBehind(key.sk, end)) return;
        if (begin !== undefined && isBehind(begin, key.sk)) continue;
        if (after && !isBehind(key.sk, after.sk)) continue;
        if (this.#resident.get(key) || this.#isPending(key)) continue;
        const item = frozen(itemIn(row));
        yield { item, size: sizeOf(item) };
      }
      if (rows.length < chunk) return;
      last = rows.at(-1)!.sk as SortKey;
    }
  }

  /** Whether a write of this turn replaces or deletes the row. */
  #isPending({ pk, sk }: ItemKey): boolean {
    return this.#journal.pending(this, pk)?.has(sk) === true;
  }

  /** Whether an item at or above the key may be only on disk. */
  #maySpill(pk: string, lowest: SortKey | undefined): boolean {
    let last = this.#lastSpilled.get(pk);
    if (last === undefined) {
      const row = this.#prepared(
        'SELECT sk FROM items WHERE store = ? AND pk = ? AND ends IS NOT NULL ORDER BY sk DESC LIMIT 1',
      ).get(this.name, pk);
      last = (row?.sk as SortKey | undefined) ?? null;
      // A cleared entry costs one more query.
      if (this.#lastSpilled.size >= mostKnown) this.#lastSpilled.clear();
      this.#lastSpilled.set(pk, last);
    }
    return last !== null && (lowest === undefined || lowest <= last);
  }

  #spill(item: Item): void {
    // A later state of the same key has its own place in the queue.
    if (this.#resident.get(item) !== item) return;
    this.#resident.delete(item);
    if (!this.#resident.has(item.pk)) {
      this.#lastSpilled.delete(item.pk);
      return;
    }
    const last = this.#lastSpilled.get(item.pk);
    if (last !== undefined && (last === null || item.sk > last)) this.#lastSpilled.set(item.pk, item.sk);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

const higher = (a: SortKey | undefined, b: SortKey | undefined): SortKey | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

const frozen = (item: Item): Item => written({ put: item }, undefined)!;
