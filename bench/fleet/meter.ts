/** Counts what AWS would bill: table operations and units, object changes, messages and calls of KMS. */
import type { memoryQueue } from '../../adapters/memory/queue.ts';
import { messagesAtOnce } from '../../cdk/limits.ts';
import type { WorkerClass } from '../../cdk/names.ts';
import { memoizeFrozen } from '../../machinery/api/memoize.ts';
import type { Wiring } from '../../machinery/api/wiring.ts';
import { keyOfMessage } from '../../machinery/controller/index.ts';
import type { Item, Keys, Table, Write } from '../../machinery/ports.ts';
import { typeOfLogPartition } from '../../machinery/store/items.ts';
import { controllers } from '../../wiring.ts';

const wiring: Wiring = controllers;
/** Messages in one request of SQS. */
const mostInRequest = 10;

export interface Units {
  /** Units of 4 KB, strongly consistent. */
  read: number;
  /** Units of 1 KB, twice in a transaction. */
  write: number;
}

export interface Operations {
  get: number;
  query: number;
  write: number;
  transact: number;
}

/** Messages of the queues. */
export interface Messages {
  /** Deliveries by controller, of which not every one starts a pass. */
  received: Map<string, number>;
  /** Requests that send: one for up to ten messages of a queue at the same time. */
  sends: number;
  /** Invocations, each with what a queue delivers at the same time as far as its function takes it together. */
  invocations: number;
}

/** Counts groups of up to `most` at the same time. */
const createGroups = (now: () => number) => {
  const open = new Map<string, { at: number; size: number }>();
  /** Whether this one begins a group. */
  return (name: string, most: number): boolean => {
    const group = open.get(name);
    if (group?.at === now() && group.size < most) {
      group.size++;
      return false;
    }
    open.set(name, { at: now(), size: 1 });
    return true;
  };
};
/** The worker class whose queue takes a message. */
const classOf = (message: string): WorkerClass => {
  const { controller } = keyOfMessage(message);
  return (wiring[controller]?.worker as WorkerClass | undefined) ?? 'gc';
};

export interface Meter {
  /** Log entries by type. */
  readonly writes: Map<string, number>;
  readonly units: Units;
  /** Operations on the tables. */
  readonly operations: Operations;
  /** Passes by controller. */
  readonly passes: Map<string, number>;
  readonly messages: Readonly<Messages>;
  /** Calls of KMS. */
  readonly keyCalls: { count: number };
  /** Write times of each Cluster, in milliseconds since the epoch. */
  readonly clusterWrites: Map<string, number[]>;
  /** Time of the last object write except Events, in milliseconds since the epoch. */
  readonly lastWrite: number;
  /** Object writes by second. */
  readonly writesBySecond: Map<number, number>;
  metered(table: Table): Table;
  meteredKeys(keys: Keys): Keys;
  meteredQueue(open: typeof memoryQueue): typeof memoryQueue;
}

/** The controller whose pass this write of the work table starts; undefined for other writes. */
const passOf = (write: Write): string | undefined =>
  'update' in write && write.set?.holder !== undefined ? write.update.pk.split('#')[1] : undefined;

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** The approximate billed size of an item. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 3;
  for (const name in value) size += name.length + sizeOf((value as Record<string, unknown>)[name]);
  return size;
};
/** The size of a read item; tables freeze items, so it is measured once. */
const keptSizeOf = memoizeFrozen<Item, number>(sizeOf);
const itemOf = (write: Write): object => {
  if ('put' in write) return write.put;
  return 'update' in write ? { ...write.update, ...write.set } : write;
};

export const createMeter = ({ units: isBilling }: { units: boolean }): Meter => {
  const writes = new Map<string, number>();
  const units: Units = { read: 0, write: 0 };
  const operations: Operations = { get: 0, query: 0, write: 0, transact: 0 };
  const passes = new Map<string, number>();
  const messages: Messages = { received: new Map(), sends: 0, invocations: 0 };
  const keyCalls = { count: 0 };
  const clusterWrites = new Map<string, number[]>();
  const writesBySecond = new Map<number, number>();
  let lastWrite = 0;
  const read = (items: Item[], consistent: boolean | undefined) => {
    const size = items.reduce((sum, item) => sum + keptSizeOf(item), 0);
    units.read += Math.max(1, Math.ceil(size / 4096)) * (consistent ? 1 : 0.5);
  };
  const write = (all: Write[], factor: number) => {
    for (const one of all) units.write += Math.max(1, Math.ceil(sizeOf(itemOf(one)) / 1024)) * factor;
  };
  const count = (one: Write) => {
    if (!('put' in one) || one.put.event === 'SEAL') return;
    const type = typeOfLogPartition(one.put.pk);
    if (type === undefined) return;
    add(writes, type);
    const at = one.put.at as number;
    const within = Math.floor(at / 1000);
    writesBySecond.set(within, (writesBySecond.get(within) ?? 0) + 1);
    if (type !== 'events') lastWrite = at;
    if (type !== 'clusters.cluster.x-k8s.io') return;
    const name = one.put.name as string;
    const times = clusterWrites.get(name) ?? [];
    clusterWrites.set(name, times);
    times.push(one.put.at as number);
  };
  return {
    writes,
    units,
    operations,
    passes,
    messages,
    keyCalls,
    clusterWrites,
    writesBySecond,
    get lastWrite() {
      return lastWrite;
    },
    metered: (table) => ({
      get: async (key, options) => {
        operations.get++;
        const item = await table.get(key, options);
        if (isBilling) read(item ? [item] : [], options?.consistent);
        return item;
      },
      query: async (query) => {
        operations.query++;
        const page = await table.query(query);
        if (isBilling) read(page.items, query.consistent);
        return page;
      },
      write: (one) => {
        operations.write++;
        if (isBilling) write([one], 1);
        const controller = passOf(one);
        if (controller !== undefined) add(passes, controller);
        return table.write(one);
      },
      transact: async (token, all) => {
        operations.transact++;
        if (isBilling) write(all, 2);
        await table.transact(token, all);
        for (const one of all) count(one);
      },
    }),
    meteredKeys: ({ dataKey, unwrap }) => ({
      dataKey: (...args) => {
        keyCalls.count++;
        return dataKey(...args);
      },
      unwrap: (...args) => {
        keyCalls.count++;
        return unwrap(...args);
      },
    }),
    meteredQueue: (open) => (clock, receive, options) => {
      const [begins, arrives] = [createGroups(clock.now), createGroups(clock.now)];
      const received: typeof receive = (message, deliveries) => {
        add(messages.received, keyOfMessage(message).controller);
        const worker = classOf(message);
        if (arrives(worker, messagesAtOnce[worker])) messages.invocations++;
        return receive(message, deliveries);
      };
      const queue = open(clock, received, options);
      return {
        ...queue,
        send: (message, delay) => {
          if (begins(classOf(message), mostInRequest)) messages.sends++;
          return queue.send(message, delay);
        },
      };
    },
  };
};
