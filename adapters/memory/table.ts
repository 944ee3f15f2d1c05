import {
  type Clock,
  type Item,
  type ItemKey,
  mostWrites,
  Refused,
  type Table,
  type TableQuery,
  TransactionRefused,
  type Write,
} from '../../machinery/ports.ts';
import { holds } from './condition.ts';
import { type ItemStore, keyOfWrite, Partitions, sizeOf, written } from './partitions.ts';

const largestPage = 1024 * 1024;
const largestItem = 400 * 1024;
/** Bytes. DynamoDB's limits, minus the byte that encodes the type of a sort key. */
const longestPartitionKey = 2048;
const longestSortKey = 1023;
/** Milliseconds for which a transaction's token is remembered. */
const tokenTime = 10 * 60_000;

/** Changed items, and keys of deleted ones. */
export interface Effect {
  put: Item[];
  deleted: ItemKey[];
}

export interface MemoryTableOptions {
  clock: Clock;
  /** Called before an effect is visible; if it throws, nothing changes. */
  persist?: (effect: Effect) => void;
  /** Seconds that an item outlives its TTL; none by default. */
  ttlDelay?: (item: Item) => number;
  /** Initial items. */
  items?: Iterable<Item>;
  /** The storage of items; memory by default. */
  store?: ItemStore;
}

/** An effective write, and the item before it. */
interface Change {
  write: Exclude<Write, { check: ItemKey }>;
  before: Item | undefined;
}

const isTooLong = (key: ItemKey['sk'], most: number): boolean =>
  typeof key === 'string' && key.length * 3 > most && Buffer.byteLength(key) > most;

const nameOf = ({ pk, sk }: ItemKey) => `${pk}\n${typeof sk} ${sk}`;

export interface MemoryTable extends Table {
  /** All unexpired items with their sizes, unordered. */
  contents(): Generator<{ item: Item; size: number }>;
  /** The item, without a call of the Table port. */
  peek(key: ItemKey): Item | undefined;
  /** Whether a transaction with this token was executed recently. */
  isDone(token: string): boolean;
  /** Forgets the token of a reverted transaction. */
  forget(token: string): void;
}

/**
 * A memory table. It never fails by itself, every read is consistent, and items are frozen and shared with
 * readers.
 */
export const memoryTable = (options: MemoryTableOptions): MemoryTable => {
  const { clock, persist, ttlDelay = () => 0, items = [], store: partitions = new Partitions() } = options;
  const tokens = new Map<string, number>();
  let nextForgetting = 0;
  for (const item of items) partitions.set(written({ put: item }, undefined, partitions.keyFor(item))!);

  const seconds = () => clock.now() / 1000;
  const isEnded = (item: Item) => typeof item.ttl === 'number' && item.ttl + ttlDelay(item) <= seconds();
  const find = (key: ItemKey): Item | undefined => {
    const item = partitions.get(key);
    return item && !isEnded(item) ? item : undefined;
  };

  const apply = (changes: Change[]): (Item | undefined)[] => {
    const results = changes.map(({ write, before }) =>
      written(write, before, before ?? partitions.keyFor(keyOfWrite(write))),
    );
    const sizes = results.map((item) => sizeOf(item));
    const tooLarge = results[sizes.findIndex((size) => size > largestItem)];
    if (tooLarge) throw new Error(`item ${nameOf(tooLarge)} is larger than a table takes`);
    for (const { write, before } of changes) {
      const { pk, sk } = keyOfWrite(write);
      if (!before && (isTooLong(pk, longestPartitionKey) || isTooLong(sk, longestSortKey)))
        throw new Error(`the key ${nameOf({ pk, sk })} is longer than a table takes`);
    }
    const ended = partitions.removeEnded(seconds(), isEnded);
    if (persist) {
      const put = results.filter((item) => item !== undefined);
      const deleted = changes.filter((_, index) => results[index] === undefined).map(({ write }) => keyOfWrite(write));
      const again = new Set(put.map(nameOf));
      persist({ put, deleted: [...ended.filter((key) => !again.has(nameOf(key))), ...deleted] });
    }
    for (const [index, item] of results.entries()) {
      if (item) partitions.set(item, sizes[index]);
      else partitions.delete(keyOfWrite(changes[index]!.write));
    }
    return results;
  };

  const isDone = (token: string) => (tokens.get(token) ?? 0) > clock.now();
  // Rarely, because a map with deleted first entries is slow to iterate until it is rebuilt.
  const forgetTokens = () => {
    const now = clock.now();
    if (now < nextForgetting) return;
    nextForgetting = now + tokenTime;
    for (const [token, until] of tokens) if (until <= now) tokens.delete(token);
  };

  const page = (query: TableQuery): { items: Item[]; next?: ItemKey } => {
    const found: Item[] = [];
    let size = 0;
    for (const { item, size: more } of partitions.scan(query)) {
      if (isEnded(item)) continue;
      const previous = found.at(-1);
      if (previous && (found.length === query.limit || size + more > largestPage)) {
        return { items: found, next: { pk: previous.pk, sk: previous.sk } };
      }
      size += more;
      found.push(item);
    }
    return { items: found };
  };

  return {
    showsTransactionsWhole: true,
    *contents() {
      for (const entry of partitions.all()) if (!isEnded(entry.item)) yield entry;
    },
    peek: find,
    isDone,
    forget: (token) => {
      tokens.delete(token);
    },
    get: async (key) => find(key),
    query: async (query) => page(query),
    write: async (write) => {
      const before = find(keyOfWrite(write));
      if (write.when && !holds(write.when, before)) throw new Refused(before);
      return apply([{ write, before }])[0];
    },
    transact: async (token, writes) => {
      forgetTokens();
      if (isDone(token)) return;
      const keys = writes.map(keyOfWrite);
      if (writes.length > mostWrites || new Set(keys.map(nameOf)).size < writes.length) {
        throw new Error(`a transaction takes at most ${mostWrites} writes, on distinct items`);
      }
      const befores = keys.map(find);
      const refused = writes.map(({ when }, index) => !!when && !holds(when, befores[index]));
      if (refused.includes(true)) throw new TransactionRefused(refused);
      apply(writes.flatMap((write, index) => ('check' in write ? [] : [{ write, before: befores[index] }])));
      tokens.set(token, clock.now() + tokenTime);
    },
  };
};
