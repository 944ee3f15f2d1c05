import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  type Item,
  OutcomeUnknown,
  type Random,
  sleep,
  type Table,
  Throttled,
} from '../../machinery/ports.ts';
import { keyOfWrite } from './partitions.ts';
import { type MemoryTableOptions, memoryTable } from './table.ts';
import { createThroughput, partitionThroughput, type Throughput } from './throughput.ts';
import { createVeil } from './veil.ts';

export interface Misbehaviour {
  /** Probability per call. */
  throttled: number;
  unknown: number;
  /** Probability that queries see a transaction item by item. */
  split: number;
  /** Maximum milliseconds until queries see a whole transaction, and until a delayed write arrives. */
  splitFor: number;
  delayedFor: number;
  /** Items per page. */
  page: number;
  /** The limit of each partition key. */
  throughput: Throughput;
}

const defaults: Misbehaviour = {
  throttled: 0.05,
  unknown: 0.03,
  split: 1,
  splitFor: 400,
  delayedFor: 3000,
  page: 3,
  throughput: partitionThroughput,
};
const longestTtlDelay = 48 * 3600;

/** Kinds of misbehaviour. */
export type Mischief = 'throttled' | 'unknown' | 'split' | 'hot';

/**
 * A memory table that misbehaves at random in every way that the Table port permits: transactions visible in
 * part, throttling, unknown outcomes (with the effect, without it, or with a later one), short pages, stale
 * reads, and items that outlive their TTL. It also throttles a partition key beyond `throughput`. `changes` is
 * read at each call, and `tell` receives each misbehaviour.
 */
export const misbehavingTable = (
  clock: Clock,
  random: Random,
  changes: Partial<Misbehaviour> = {},
  persist?: MemoryTableOptions['persist'],
  tell: (mischief: Mischief) => void = () => {},
  items: Iterable<Item> = [],
): Table => {
  const manner = <M extends keyof Misbehaviour>(name: M): Misbehaviour[M] => changes[name] ?? defaults[name];
  const delays = new Map<string, number>();
  const ttlDelay = ({ pk, sk }: Item): number => {
    const name = `${pk} ${sk}`;
    const delay = delays.get(name) ?? random.next() * longestTtlDelay;
    delays.set(name, delay);
    return delay;
  };
  const table = memoryTable({ clock, ttlDelay, items, ...(persist && { persist }) });
  const veil = createVeil();
  const throughput = createThroughput({
    clock,
    partition: () => manner('throughput'),
    onThrottle: () => tell('hot'),
  });
  let transactions = 0;

  const chance = (mischief: Exclude<Mischief, 'hot'>) => {
    const isDone = random.next() < manner(mischief);
    if (isDone) tell(mischief);
    return isDone;
  };
  const pauseUpTo = (ms: number) => sleep(clock, random.next() * ms);
  const maybeThrottle = () => {
    if (chance('throttled')) throw new Throttled();
  };
  /** The answer is lost; the write may be lost too, or delayed. */
  const unreliably = async <T>(effect: () => Promise<T>): Promise<T> => {
    maybeThrottle();
    if (!chance('unknown')) return effect();
    const fate = random.next();
    if (fate < 1 / 3) await effect().catch(() => undefined);
    else if (fate < 2 / 3)
      clock.after(random.next() * manner('delayedFor'), () => void effect().catch(() => undefined));
    throw new OutcomeUnknown();
  };

  const transact: Table['transact'] = async (token, writes) => {
    if (!chance('split')) return table.transact(token, writes);
    const keys = writes.filter((write) => !('check' in write)).map(keyOfWrite);
    const before = await Promise.all(keys.map((key) => table.get(key, { consistent: true })));
    await table.transact(token, writes);
    const transaction = String(transactions++);
    const after = await Promise.all(keys.map((key) => table.get(key, { consistent: true })));
    const hidden = keys.filter((_, index) => !isDeepStrictEqual(before[index], after[index]));
    for (const key of hidden) veil.hide(transaction, key, before[keys.indexOf(key)]);
    await Promise.all(
      hidden.map(async (key) => {
        await pauseUpTo(manner('splitFor'));
        veil.reveal(transaction, key);
      }),
    );
  };

  return {
    get: async (key, options) => {
      maybeThrottle();
      throughput.read(key.pk, [table.peek(key)], options.consistent);
      if (options.consistent) return table.get(key, options);
      const { items } = await veil.query(table, { pk: key.pk, from: key.sk, to: key.sk, consistent: false });
      return items[0];
    },
    query: async (query) => {
      maybeThrottle();
      const page = manner('page');
      const found = await veil.query(table, { ...query, limit: Math.min(query.limit ?? page, page) });
      throughput.read(query.pk, found.items, query.consistent);
      return found;
    },
    write: async (write) => {
      throughput.write([write], table.peek);
      return unreliably(() => table.write(write));
    },
    transact: async (token, writes) => {
      throughput.write(writes, table.peek, true);
      return unreliably(() => transact(token, writes));
    },
  };
};
