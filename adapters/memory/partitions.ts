/** The items themselves: partitions of items sorted by their second key. What is handed in or out is a copy. */
import type { Attribute, Item, ItemKey, TableQuery, Write } from '../../machinery/ports.ts';

type SortKey = string | number;

const copyOf = (value: Attribute): Attribute => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === undefined ? [] : [[name, copyOf(part)]])),
  );
};
/** Byte strings are shared: nobody writes into one. */
export const copyItem = (item: Item): Item => copyOf(item) as Item;

interface Partition {
  order: SortKey[];
  items: Map<SortKey, Item>;
}

/** The first index whose key is not below `key`. */
const indexOf = (order: SortKey[], key: SortKey): number => {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
};

const hour = 3600;

export class Partitions {
  readonly #partitions = new Map<string, Partition>();
  /** Keys of items with a time to live, by the hour it ends in. */
  readonly #ending = new Map<number, Map<string, ItemKey>>();

  get({ pk, sk }: ItemKey): Item | undefined {
    return this.#partitions.get(pk)?.items.get(sk);
  }

  set(item: Item): void {
    const { pk, sk } = item;
    let partition = this.#partitions.get(pk);
    if (!partition) {
      partition = { order: [], items: new Map() };
      this.#partitions.set(pk, partition);
    }
    if (!partition.items.has(sk)) partition.order.splice(indexOf(partition.order, sk), 0, sk);
    partition.items.set(sk, item);
    if (typeof item.ttl === 'number') {
      const bucket = Math.floor(item.ttl / hour);
      const ending = this.#ending.get(bucket) ?? new Map<string, ItemKey>();
      this.#ending.set(bucket, ending.set(`${pk} ${sk}`, { pk, sk }));
    }
  }

  delete({ pk, sk }: ItemKey): void {
    const partition = this.#partitions.get(pk);
    if (!partition?.items.delete(sk)) return;
    partition.order.splice(indexOf(partition.order, sk), 1);
    if (partition.order.length === 0) this.#partitions.delete(pk);
  }

  /** Items in order, from where the query begins; the caller stops taking them. */
  *scan(query: TableQuery): Generator<Item> {
    const partition = this.#partitions.get(query.pk);
    if (!partition) return;
    const { order, items } = partition;
    const { from, to, after, descending } = query;
    let low = from === undefined ? 0 : indexOf(order, from);
    let high = to === undefined ? order.length : indexOf(order, to);
    if (to !== undefined && order[high] === to) high++;
    if (after && descending) high = Math.min(high, indexOf(order, after.sk));
    if (after && !descending) {
      const index = indexOf(order, after.sk);
      low = Math.max(low, order[index] === after.sk ? index + 1 : index);
    }
    const keys = order.slice(low, Math.max(low, high));
    for (const key of descending ? keys.reverse() : keys) yield items.get(key)!;
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

/** The item that a write leaves behind; undefined when it leaves none. */
export const written = (write: Exclude<Write, { check: ItemKey }>, before: Item | undefined): Item | undefined => {
  if ('put' in write) return copyItem(write.put);
  if ('delete' in write) return undefined;
  const after: Item = { ...before, pk: write.update.pk, sk: write.update.sk };
  for (const [name, value] of Object.entries(write.set ?? {})) after[name] = copyOf(value);
  for (const [name, value] of Object.entries(write.add ?? {})) after[name] = ((after[name] as number) ?? 0) + value;
  for (const name of write.remove ?? []) delete after[name];
  return after;
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
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + sizeOf(part), 3);
};
