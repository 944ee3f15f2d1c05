/** Partitions of items in the order of their sort key. Inputs are copied and frozen once; outputs are shared. */
import type { Attribute, Item, ItemKey, TableQuery, Write } from '../../machinery/ports.ts';
import { type Entry, SortedEntries, type SortKey } from './sorted-entries.ts';

type Part = Attribute | undefined;
const isPlain = (value: Part) => typeof value !== 'object' || value === null || value instanceof Uint8Array;
const isFrozenThrough = (value: Part): boolean =>
  value !== undefined &&
  (isPlain(value) || (Object.isFrozen(value) && Object.values(value as object).every(isFrozenThrough)));

/** A spread creates an object with its final hidden class, which is smaller and faster than adding fields. */
const copyOf = (value: { [name: string]: Part }): { [name: string]: Attribute } => {
  const isWhole = !Object.values(value).includes(undefined);
  const copy = isWhole
    ? { ...value }
    : Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
  for (const name in copy) if (!isPlain(copy[name])) copy[name] = frozenCopy(copy[name]!);
  return copy as { [name: string]: Attribute };
};

/** Many items repeat labels and owners, so frozen values are shared. */
const frozenCopy = (value: Attribute): Attribute => {
  if (isPlain(value) || isFrozenThrough(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Attribute[];
  return Object.freeze(copyOf(value as { [name: string]: Part }));
};

/** Flattens concatenated strings, which take more space than flat ones. */
const flat = <K extends SortKey>(key: K): K => (typeof key === 'string' ? (Buffer.from(key).toString() as K) : key);

const isBelow = (a: SortKey, b: SortKey): boolean => a < b;
const isAbove = (a: SortKey, b: SortKey): boolean => a > b;

const hour = 3600;
/** The hour of its expiry; undefined without a TTL. */
const endOf = ({ item }: Entry): number | undefined =>
  typeof item.ttl === 'number' ? Math.floor(item.ttl / hour) : undefined;

/** Rebuilt instead of copied and deleted from: deletions make an object slow for every reader. */
const without = (item: Item | undefined, names: readonly string[]): Partial<Item> => {
  const left: Partial<Item> = {};
  for (const name in item) if (!names.includes(name)) left[name] = item[name];
  return left;
};

export class Partitions {
  readonly #partitions = new Map<string, SortedEntries>();
  /** Items with a TTL by the hour of their expiry. */
  readonly #ending = new Map<number, Set<Entry>>();

  get({ pk, sk }: ItemKey): Item | undefined {
    return this.#partitions.get(pk)?.get(sk)?.item;
  }

  /** Whether there is any item of a partition. */
  has(pk: string): boolean {
    return this.#partitions.has(pk);
  }

  /** The key of a new item, sharing the partition's string. */
  keyFor({ pk, sk }: ItemKey): ItemKey {
    return { pk: this.#partitions.get(pk)?.first?.item.pk ?? flat(pk), sk: flat(sk) };
  }

  /** Stores an item that `written` returned. */
  set(item: Item, size = sizeOf(item)): void {
    const { pk, sk } = item;
    const entry = { item, size };
    const partition = this.#partitions.get(pk);
    const before = partition?.get(sk);
    if (before) this.#forgetEnd(before);
    if (partition) partition.set(entry);
    else this.#partitions.set(pk, new SortedEntries(entry));
    this.#noteEnd(entry);
  }

  delete({ pk, sk }: ItemKey): void {
    const partition = this.#partitions.get(pk);
    const entry = partition?.get(sk);
    if (!partition || !entry) return;
    partition.delete(sk);
    if (!partition.first) this.#partitions.delete(pk);
    this.#forgetEnd(entry);
  }

  /** All items with their sizes, unordered. */
  *all(): Generator<Entry> {
    for (const partition of this.#partitions.values()) yield* partition.ascending();
  }

  /** Items in the query's order, with their sizes. The caller must not write during the iteration. */
  *scan(query: TableQuery): Generator<Entry> {
    const partition = this.#partitions.get(query.pk);
    if (!partition) return;
    const { from, to, after, descending } = query;
    const [begin, end] = descending ? [to, from] : [from, to];
    const [isBefore, isBehind] = descending ? [isAbove, isBelow] : [isBelow, isAbove];
    // The bound that leaves fewer keys.
    const start = after && (begin === undefined || !isBefore(after.sk, begin)) ? after.sk : begin;
    for (const entry of descending ? partition.descending(start) : partition.ascending(start)) {
      const key = entry.item.sk;
      if (end !== undefined && isBehind(key, end)) return;
      if (!after || isBehind(key, after.sk)) yield entry;
    }
  }

  /** Removes expired items whose TTL is in an hour before that of `now`, in epoch seconds. */
  removeEnded(now: number, isEnded: (item: Item) => boolean): ItemKey[] {
    const removed: ItemKey[] = [];
    for (const [bucket, entries] of this.#ending) {
      if (bucket >= Math.floor(now / hour)) continue;
      this.#ending.delete(bucket);
      for (const { item } of entries) {
        if (!isEnded(item)) continue;
        this.delete(item);
        removed.push({ pk: item.pk, sk: item.sk });
      }
    }
    return removed;
  }

  #noteEnd(entry: Entry): void {
    const hour = endOf(entry);
    if (hour === undefined) return;
    const bucket = this.#ending.get(hour);
    if (bucket) bucket.add(entry);
    else this.#ending.set(hour, new Set([entry]));
  }

  #forgetEnd(entry: Entry): void {
    const hour = endOf(entry);
    if (hour !== undefined) this.#ending.get(hour)?.delete(entry);
  }
}

/** The storage of a table's items. */
export type ItemStore = Pick<Partitions, 'get' | 'keyFor' | 'set' | 'delete' | 'all' | 'scan' | 'removeEnded'>;

/** The item after a write, frozen; undefined if the write leaves none. */
export const written = (
  write: Exclude<Write, { check: ItemKey }>,
  before: Item | undefined,
  { pk, sk }: ItemKey = before ?? keyOfWrite(write),
): Item | undefined => {
  if ('put' in write) return Object.freeze({ ...copyOf(write.put), pk, sk });
  if ('delete' in write) return undefined;
  const { set = {}, add = {}, remove } = write;
  const after: Item = { ...(remove ? without(before, remove) : before), ...copyOf(set), pk, sk };
  for (const name of Object.keys(add)) after[name] = ((after[name] as number) ?? 0) + add[name]!;
  return Object.freeze(after);
};

export const keyOfWrite = (write: Write): ItemKey => {
  if ('put' in write) return { pk: write.put.pk, sk: write.put.sk };
  if ('delete' in write) return write.delete;
  return 'update' in write ? write.update : write.check;
};

/** The approximate size of an item. */
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
