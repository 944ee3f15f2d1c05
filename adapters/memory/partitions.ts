/**
 * The items themselves: partitions of items sorted by their second key. What is handed in is copied and frozen once;
 * what is handed out is what is kept.
 */
import type { Attribute, Item, ItemKey, TableQuery, Write } from '../../machinery/ports.ts';
import { type Entry, SortedEntries, type SortKey } from './sorted-entries.ts';

type Part = Attribute | undefined;
const isPlain = (value: Part) => typeof value !== 'object' || value === null || value instanceof Uint8Array;
const isFrozenThrough = (value: Part): boolean =>
  value !== undefined &&
  (isPlain(value) || (Object.isFrozen(value) && Object.values(value as object).every(isFrozenThrough)));

/** A spread is an object of the shape that it had at once, which is smaller and sooner made than one that grows name by name. */
const copyOf = (value: { [name: string]: Part }): { [name: string]: Attribute } => {
  const isWhole = !Object.values(value).includes(undefined);
  const copy = isWhole
    ? { ...value }
    : Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
  for (const name in copy) if (!isPlain(copy[name])) copy[name] = frozenCopy(copy[name]!);
  return copy as { [name: string]: Attribute };
};

/** Many items hold the same labels and owners: what nobody can change is shared. */
const frozenCopy = (value: Attribute): Attribute => {
  if (isPlain(value) || isFrozenThrough(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Attribute[];
  return Object.freeze(copyOf(value as { [name: string]: Part }));
};

/** What was put together from parts is kept as if it had been read: parts take more space than the whole. */
const flat = <K extends SortKey>(key: K): K => (typeof key === 'string' ? (Buffer.from(key).toString() as K) : key);

const isBelow = (a: SortKey, b: SortKey): boolean => a < b;
const isAbove = (a: SortKey, b: SortKey): boolean => a > b;

const hour = 3600;
/** The hour that it ends in; undefined without a time to live. */
const endOf = ({ item }: Entry): number | undefined =>
  typeof item.ttl === 'number' ? Math.floor(item.ttl / hour) : undefined;

/** Built anew rather than copied and taken from: every reader of an object that lost a field is slower for it. */
const without = (item: Item | undefined, names: readonly string[]): Partial<Item> => {
  const left: Partial<Item> = {};
  for (const name in item) if (!names.includes(name)) left[name] = item[name];
  return left;
};

export class Partitions {
  readonly #partitions = new Map<string, SortedEntries>();
  /** Those with a time to live, by the hour it ends in. */
  readonly #ending = new Map<number, Set<Entry>>();

  get({ pk, sk }: ItemKey): Item | undefined {
    return this.#partitions.get(pk)?.get(sk)?.item;
  }

  /** Whether there is any item of a partition. */
  has(pk: string): boolean {
    return this.#partitions.has(pk);
  }

  /** The key that a new item is kept by: the text of a partition's is shared by all that is in it. */
  keyFor({ pk, sk }: ItemKey): ItemKey {
    return { pk: this.#partitions.get(pk)?.first?.item.pk ?? flat(pk), sk: flat(sk) };
  }

  /** Keeps an item as `written` answers it. */
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

  /** Every item there is, with its size, in no order. */
  *all(): Generator<Entry> {
    for (const partition of this.#partitions.values()) yield* partition.ascending();
  }

  /** Items in order, with their sizes, from where the query begins; the caller stops taking them, and writes nothing meanwhile. */
  *scan(query: TableQuery): Generator<Entry> {
    const partition = this.#partitions.get(query.pk);
    if (!partition) return;
    const { from, to, after, descending } = query;
    const [begin, end] = descending ? [to, from] : [from, to];
    const [isBefore, isBehind] = descending ? [isAbove, isBelow] : [isBelow, isAbove];
    // Whichever leaves fewer keys.
    const start = after && (begin === undefined || !isBefore(after.sk, begin)) ? after.sk : begin;
    for (const entry of descending ? partition.descending(start) : partition.ascending(start)) {
      const key = entry.item.sk;
      if (end !== undefined && isBehind(key, end)) return;
      if (!after || isBehind(key, after.sk)) yield entry;
    }
  }

  /** Takes out the items that have ended, of those whose ttl lies in an hour before that of `now`, in epoch seconds. */
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

/** Where a table keeps its items. */
export type ItemStore = Pick<Partitions, 'get' | 'keyFor' | 'set' | 'delete' | 'all' | 'scan' | 'removeEnded'>;

/** The item that a write leaves behind, for good; undefined when it leaves none. */
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
