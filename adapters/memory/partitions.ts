/**
 * The items themselves: partitions of items sorted by their second key. What is handed in is copied and frozen once;
 * what is handed out is what is kept.
 */
import type { Attribute, Item, ItemKey, TableQuery, Write } from '../../machinery/ports.ts';
import { SortedKeys, type SortKey } from './sorted-keys.ts';

type Part = Attribute | undefined;
const isPlain = (value: Part) => typeof value !== 'object' || value === null || value instanceof Uint8Array;
const isFrozenThrough = (value: Part): boolean =>
  value !== undefined &&
  (isPlain(value) || (Object.isFrozen(value) && Object.values(value as object).every(isFrozenThrough)));

/** Many items hold the same labels and owners: what nobody can change is shared. */
const frozenCopy = (value: Attribute): Attribute => {
  if (isPlain(value) || isFrozenThrough(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Attribute[];
  const copy: { [name: string]: Attribute } = {};
  for (const [name, part] of Object.entries(value as { [name: string]: Part })) {
    if (part !== undefined) copy[name] = frozenCopy(part);
  }
  return Object.freeze(copy);
};
/** Byte strings are shared: nobody writes into one. */
const kept = (item: Item): Item => frozenCopy(item) as Item;

interface Entry {
  item: Item;
  size: number;
}

interface Partition {
  keys: SortedKeys;
  entries: Map<SortKey, Entry>;
}

const isBelow = (a: SortKey, b: SortKey): boolean => a < b;
const isAbove = (a: SortKey, b: SortKey): boolean => a > b;

const hour = 3600;

export class Partitions {
  readonly #partitions = new Map<string, Partition>();
  /** Keys of items with a time to live, by the hour it ends in. */
  readonly #ending = new Map<number, Map<string, ItemKey>>();

  get({ pk, sk }: ItemKey): Item | undefined {
    return this.#partitions.get(pk)?.entries.get(sk)?.item;
  }

  /** Keeps an item as `written` answers it. */
  set(item: Item, size = sizeOf(item)): void {
    const { pk, sk } = item;
    let partition = this.#partitions.get(pk);
    if (!partition) {
      partition = { keys: new SortedKeys(), entries: new Map() };
      this.#partitions.set(pk, partition);
    }
    const { keys, entries } = partition;
    if (!entries.has(sk)) keys.add(sk);
    entries.set(sk, { item, size });
    if (typeof item.ttl === 'number') {
      const bucket = Math.floor(item.ttl / hour);
      const ending = this.#ending.get(bucket) ?? new Map<string, ItemKey>();
      this.#ending.set(bucket, ending.set(`${pk} ${sk}`, { pk, sk }));
    }
  }

  delete({ pk, sk }: ItemKey): void {
    const partition = this.#partitions.get(pk);
    if (!partition?.entries.delete(sk)) return;
    partition.keys.delete(sk);
    if (partition.keys.isEmpty) this.#partitions.delete(pk);
  }

  /** Every item there is, with its size, in no order. */
  *all(): Generator<Entry> {
    for (const { entries } of this.#partitions.values()) yield* entries.values();
  }

  /** Items in order, with their sizes, from where the query begins; the caller stops taking them, and writes nothing meanwhile. */
  *scan(query: TableQuery): Generator<Entry> {
    const partition = this.#partitions.get(query.pk);
    if (!partition) return;
    const { keys, entries } = partition;
    const { from, to, after, descending } = query;
    const [begin, end] = descending ? [to, from] : [from, to];
    const [isBefore, isBehind] = descending ? [isAbove, isBelow] : [isBelow, isAbove];
    // Whichever leaves fewer keys.
    const start = after && (begin === undefined || !isBefore(after.sk, begin)) ? after.sk : begin;
    for (const key of descending ? keys.descending(start) : keys.ascending(start)) {
      if (end !== undefined && isBehind(key, end)) return;
      if (!after || isBehind(key, after.sk)) yield entries.get(key)!;
    }
  }

  /** Takes out the items that have ended, of those whose ttl lies in an hour before that of `now`, in epoch seconds. */
  removeEnded(now: number, isEnded: (item: Item) => boolean): ItemKey[] {
    const removed: ItemKey[] = [];
    for (const [bucket, keys] of this.#ending) {
      if (bucket >= Math.floor(now / hour)) continue;
      this.#ending.delete(bucket);
      for (const key of keys.values()) {
        const item = this.get(key);
        if (!item || !isEnded(item)) continue;
        this.delete(key);
        removed.push(key);
      }
    }
    return removed;
  }
}

/** The item that a write leaves behind, for good; undefined when it leaves none. */
export const written = (write: Exclude<Write, { check: ItemKey }>, before: Item | undefined): Item | undefined => {
  if ('put' in write) return kept(write.put);
  if ('delete' in write) return undefined;
  const { update, set = {}, add = {}, remove = [] } = write;
  const after: Item = { pk: update.pk, sk: update.sk };
  // Built anew rather than copied and taken from: every reader of an object that lost a field is slower for it.
  for (const name in before) if (!remove.includes(name)) after[name] = before[name];
  for (const name of Object.keys(set)) after[name] = frozenCopy(set[name]!);
  for (const name of Object.keys(add)) after[name] = ((after[name] as number) ?? 0) + add[name]!;
  return Object.freeze(after);
};

export const keyOfWrite = (write: Write): ItemKey => {
  if ('put' in write) return { pk: write.put.pk, sk: write.put.sk };
  if ('delete' in write) return write.delete;
  return 'update' in write ? write.update : write.check;
};

/** Roughly what an item counts against a page. */
export const sizeOf = (value: Attribute | undefined): number => {
  if (value === undefined || value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'number') return 8;
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + sizeOf(part), 3);
  let size = 3;
  for (const name of Object.keys(value)) size += name.length + sizeOf(value[name]);
  return size;
};
