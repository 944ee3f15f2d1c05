import {
  type Clock,
  type Item,
  type ItemKey,
  Refused,
  type Table,
  type TableQuery,
  TransactionRefused,
  type Write,
} from '../../machinery/ports.ts';
import { holds } from './condition.ts';
import { copyItem, keyOfWrite, Partitions, sizeOf, written } from './partitions.ts';

const largestPage = 1024 * 1024;
const largestItem = 400 * 1024;
const mostWrites = 100;
/** How long a transaction's token is remembered, in milliseconds. */
const tokenTime = 10 * 60_000;

/** What changed: items as they are now, and keys of those that are gone. */
export interface Effect {
  put: Item[];
  deleted: ItemKey[];
}

export interface MemoryTableOptions {
  clock: Clock;
  /** Called before an effect is visible; when it throws, nothing happens. */
  persist?: (effect: Effect) => void;
  /** Seconds that an item outlives its ttl; none by default. */
  ttlDelay?: (item: Item) => number;
  /** What is there already. */
  items?: Iterable<Item>;
}

type Change = Exclude<Write, { check: ItemKey }>;

const nameOf = ({ pk, sk }: ItemKey) => `${pk}\n${typeof sk} ${sk}`;

/** A table in memory. Nothing in it ever fails by itself, and every read is consistent. */
export const memoryTable = ({ clock, persist, ttlDelay = () => 0, items = [] }: MemoryTableOptions): Table => {
  const partitions = new Partitions();
  const tokens = new Map<string, number>();
  for (const item of items) partitions.set(item);

  const seconds = () => clock.now() / 1000;
  const isEnded = (item: Item) => typeof item.ttl === 'number' && item.ttl + ttlDelay(item) <= seconds();
  const find = (key: ItemKey): Item | undefined => {
    const item = partitions.get(key);
    return item && !isEnded(item) ? item : undefined;
  };

  const apply = (writes: Change[]): (Item | undefined)[] => {
    const results = writes.map((write) => written(write, find(keyOfWrite(write))));
    const put = results.filter((item) => item !== undefined);
    for (const item of put) {
      if (sizeOf(item) > largestItem) throw new Error(`item ${nameOf(item)} is larger than a table takes`);
    }
    const ended = partitions.removeEnded(seconds(), isEnded);
    const deleted = writes.filter((_, index) => results[index] === undefined).map(keyOfWrite);
    persist?.({
      put,
      deleted: [...ended.filter((key) => !put.some((item) => nameOf(item) === nameOf(key))), ...deleted],
    });
    for (const item of put) partitions.set(item);
    for (const key of deleted) partitions.delete(key);
    return results;
  };

  const forgetTokens = () => {
    for (const [token, until] of tokens) {
      if (until > clock.now()) return;
      tokens.delete(token);
    }
  };

  const page = (query: TableQuery): { items: Item[]; next?: ItemKey } => {
    const found: Item[] = [];
    let size = 0;
    for (const item of partitions.scan(query)) {
      if (isEnded(item)) continue;
      const more = sizeOf(item);
      const previous = found.at(-1);
      if (previous && (found.length === query.limit || size + more > largestPage)) {
        return { items: found.map(copyItem), next: { pk: previous.pk, sk: previous.sk } };
      }
      size += more;
      found.push(item);
    }
    return { items: found.map(copyItem) };
  };

  return {
    get: async (key) => {
      const item = find(key);
      return item && copyItem(item);
    },
    query: async (query) => page(query),
    write: async (write) => {
      const before = find(keyOfWrite(write));
      if (write.when && !holds(write.when, before)) throw new Refused(before && copyItem(before));
      const [item] = apply([write]);
      return item && copyItem(item);
    },
    transact: async (token, writes) => {
      forgetTokens();
      if (tokens.has(token)) return;
      if (
        writes.length > mostWrites ||
        new Set(writes.map((write) => nameOf(keyOfWrite(write)))).size < writes.length
      ) {
        throw new Error('a transaction takes at most 100 writes, on distinct items');
      }
      const refused = writes.map((write) => !!write.when && !holds(write.when, find(keyOfWrite(write))));
      if (refused.includes(true)) throw new TransactionRefused(refused);
      apply(writes.filter((write): write is Change => !('check' in write)));
      tokens.set(token, clock.now() + tokenTime);
    },
  };
};
