/**
 * DynamoDB's limits of throughput: capacity units a second of each partition key and of a whole table. A call that finds
 * too few of them is refused as a throttled one, without an effect.
 */
import { type Clock, type Item, type ItemKey, type Table, Throttled, type Write } from '../../machinery/ports.ts';
import { keyOfWrite, sizeOf } from './partitions.ts';
import type { MemoryTable } from './table.ts';

/** Capacity units a second. */
export interface Throughput {
  /** Of 4 KB each, strongly consistent; half of one eventually consistent. */
  read: number;
  /** Of 1 KB each; twice as many in a transaction. */
  write: number;
}

/** What DynamoDB serves of one partition key, however large the table is. */
export const partitionThroughput: Throughput = { read: 3000, write: 1000 };
/** What a new on-demand table serves before it has grown with its traffic. */
export const newTableThroughput: Throughput = { read: 12_000, write: 4000 };

export interface ThroughputOptions {
  clock: Pick<Clock, 'now'>;
  /** Read at each call. */
  partition: () => Throughput;
  /** Unlimited when absent. */
  table?: Throughput;
  /** Partition keys without a limit: those that another service than DynamoDB holds in a deployment. */
  unlimited?: readonly string[];
  /** `partition` is the key, or empty when the table as a whole has too little. */
  onThrottle?: (partition: string, units: keyof Throughput) => void;
}

const readUnit = 4096;
const writeUnit = 1024;
const second = 1000;

const bytesOf = (item: Item | undefined): number => (item ? sizeOf(item) : 0);

/** An update is counted as if it replaced nothing: the difference is below a unit for the small items that are updated. */
const unitsOfWrite = (write: Write, before: Item | undefined): number => {
  const was = bytesOf(before);
  const becomes = 'put' in write ? sizeOf(write.put) : 'update' in write && write.set ? was + sizeOf(write.set) : was;
  return Math.max(1, Math.ceil(Math.max(was, becomes) / writeUnit));
};

interface Draw {
  bucket: string;
  units: number;
  limit: number;
}

/** Buckets that hold one second's units each, as long as they are not full. */
const createBuckets = (clock: Pick<Clock, 'now'>) => {
  const levels = new Map<string, { left: number; at: number; limit: number }>();
  let pruneAt = 1000;

  const leftIn = (bucket: string, limit: number): number => {
    const level = levels.get(bucket);
    return level ? Math.min(limit, level.left + ((clock.now() - level.at) * limit) / second) : limit;
  };
  const prune = () => {
    if (levels.size < pruneAt) return;
    for (const [bucket, { limit }] of levels) if (leftIn(bucket, limit) >= limit) levels.delete(bucket);
    pruneAt = Math.max(1000, 2 * levels.size);
  };

  /** Takes all draws or none; answers the first bucket that has too little. A draw beyond a bucket's size takes a full one. */
  return (draws: readonly Draw[]): string | undefined => {
    const found = draws.map(({ bucket, units, limit }) => ({
      bucket,
      limit,
      units: Math.min(units, limit),
      left: leftIn(bucket, limit),
    }));
    const short = found.find(({ units, left }) => left < units);
    if (short) return short.bucket;
    for (const { bucket, units, limit, left } of found)
      levels.set(bucket, { left: left - units, at: clock.now(), limit });
    prune();
    return undefined;
  };
};

/** Counts what each call takes, and throws Throttled when a partition key or the table has too little for it. */
export const createThroughput = ({
  clock,
  partition,
  table,
  unlimited = [],
  onThrottle = () => {},
}: ThroughputOptions) => {
  const takers = { read: createBuckets(clock), write: createBuckets(clock) };
  const whole = '';

  const take = (kind: keyof Throughput, units: ReadonlyMap<string, number>): void => {
    const limit = partition()[kind];
    const draws: Draw[] = [...units]
      .filter(([bucket]) => !unlimited.includes(bucket))
      .map(([bucket, units]) => ({ bucket, units, limit }));
    const all = draws.reduce((sum, draw) => sum + draw.units, 0);
    if (table) draws.push({ bucket: whole, units: all, limit: table[kind] });
    const short = takers[kind](draws);
    if (short === undefined) return;
    onThrottle(short, kind);
    throw new Throttled('ProvisionedThroughputExceededException');
  };

  return {
    read: (pk: string, items: readonly (Item | undefined)[], isConsistent: boolean): void => {
      const bytes = items.reduce((sum, item) => sum + bytesOf(item), 0);
      take('read', new Map([[pk, Math.max(1, Math.ceil(bytes / readUnit)) * (isConsistent ? 1 : 0.5)]]));
    },
    /** `peek` answers an item as it is; conditions that fail are counted, too, as DynamoDB does. */
    write: (writes: readonly Write[], peek: (key: ItemKey) => Item | undefined, isTransaction = false): void => {
      const units = new Map<string, number>();
      for (const write of writes) {
        const key = keyOfWrite(write);
        const cost = unitsOfWrite(write, peek(key)) * (isTransaction ? 2 : 1);
        units.set(key.pk, (units.get(key.pk) ?? 0) + cost);
      }
      take('write', units);
    },
  };
};

/** The table, within these limits. */
export const limitedTable = (table: Pick<MemoryTable, keyof Table | 'peek'>, options: ThroughputOptions): Table => {
  const throughput = createThroughput(options);
  return {
    get: async (key, asked) => {
      throughput.read(key.pk, [table.peek(key)], asked.consistent);
      return table.get(key, asked);
    },
    query: async (query) => {
      const page = await table.query(query);
      throughput.read(query.pk, page.items, query.consistent);
      return page;
    },
    write: async (write) => {
      throughput.write([write], table.peek);
      return table.write(write);
    },
    transact: async (token, writes) => {
      throughput.write(writes, table.peek, true);
      await table.transact(token, writes);
    },
  };
};
