/** Capstan in this process, composed as for `npm start`, over memory tables and a virtual clock. */
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { memoryQueue } from '../../adapters/memory/queue.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { type MemoryTable, memoryTable } from '../../adapters/memory/table.ts';
import { limitedTable, newTableThroughput, partitionThroughput } from '../../adapters/memory/throughput.ts';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { kinds } from '../../kinds/index.ts';
import { createSystem, type System } from '../../local/system.ts';
import { partition as executions } from '../../local/workflow/execution.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { openStore, type Store } from '../../machinery/store/index.ts';
import '../../test/system/loaded.ts';
import { createMeter, type Meter } from './meter.ts';
import type { FleetOptions } from './options.ts';

const token = 'bench';
const second = 1000;

/** Quotas beyond any fleet. */
const plenty = Number.MAX_SAFE_INTEGER;
const quotas = {
  vpcs: plenty,
  subnetsPerVpc: plenty,
  internetGateways: plenty,
  natGatewaysPerZone: plenty,
  addresses: plenty,
  routeTablesPerVpc: plenty,
  securityGroups: plenty,
  vcpus: plenty,
  loadBalancers: plenty,
  classicLoadBalancers: plenty,
  targetGroups: plenty,
};

export interface Stored {
  objects: number;
  /** Members, owned objects and references. */
  indices: number;
  work: number;
  /** The log of the last 30 hours. */
  log: number;
}

/** First letters of index partitions in the objects' table. */
const indices = new Set(['c', 'w', 'f']);
const storedIn = (objects: MemoryTable, work: MemoryTable): Stored => {
  const stored: Stored = { objects: 0, indices: 0, work: 0, log: 0 };
  for (const { size } of work.contents()) stored.work += size;
  for (const { item, size } of objects.contents()) {
    const letter = item.pk.slice(0, item.pk.indexOf('#'));
    stored[letter === 'l' ? 'log' : indices.has(letter) ? 'indices' : 'objects'] += size;
  }
  return stored;
};

export interface ControlPlane {
  system: System;
  clock: VirtualClock;
  meter: Meter;
  /** Bytes in the tables by purpose, by item size as DynamoDB bills it. */
  stored(): Stored;
  /** Throttled calls, by units and kind of partition key, and those that exceeded the whole table. */
  throttles: { partition: ReadonlyMap<string, number>; table: number };
  /** An uncounted reader. */
  reader: Store;
  errors: string[];
  /** Answers the code, 201 or 503. The caller must run the clock. */
  post(path: string, body: unknown): Promise<number>;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<KubeObject>;
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

export const pathOf = (apiVersion: string, kindName: string, name?: string): string => {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const kind = kinds.find(
    (one) => one.kind === kindName && root.startsWith(one.group ? `/apis/${one.group}/` : '/api/'),
  )!;
  const collection = `${root}/namespaces/default/${kind.plural}`;
  return name === undefined ? collection : `${collection}/${name}`;
};
export const typeOf = (kindName: string): string => resourceOf(kinds.find(({ kind }) => kind === kindName)!);

/** Advances the clock until a promise settles. */
const settled = async <T>(clock: VirtualClock, promise: Promise<T>): Promise<T> => {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  promise.then(over, over);
  for (let turn = 0; turn < 20 && !isOver; turn++) await new Promise((resolve) => setImmediate(resolve));
  if (!isOver) await clock.run(() => isOver);
  return promise;
};

export const openControlPlane = async ({
  throttling,
  units,
  storm,
}: Pick<FleetOptions, 'throttling' | 'units' | 'storm'>): Promise<ControlPlane> => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(1);
  const keys = memoryKeys(random);
  const meter = createMeter({ units });
  const objects = memoryTable({ clock });
  const work = memoryTable({ clock });
  const errors: string[] = [];
  const throttles = { partition: new Map<string, number>(), table: 0 };
  const limited = (table: MemoryTable) =>
    storm
      ? limitedTable(table, {
          clock,
          partition: () => partitionThroughput,
          table: newTableThroughput,
          // Step Functions holds them in a deployment.
          unlimited: [executions],
          onThrottle: (partition, kind) => {
            if (partition === '') throttles.table++;
            else count(throttles.partition, `${kind} ${partition.split('#').slice(0, 2).join('#')}`);
          },
        })
      : table;
  let port = 30_000;
  const system = createSystem({
    clock,
    random,
    keys: meter.meteredKeys(keys),
    openQueue: meter.meteredQueue(memoryQueue),
    objects: meter.metered(limited(objects)),
    work: meter.metered(limited(work)),
    account: memoryStorage(clock),
    network: { listen: () => {}, close: () => {}, reserve: () => ++port },
    log: {
      info: () => {},
      error: (message, facts) => errors.push(`${message} ${String(facts?.error ?? '')}`),
    },
    installation: 'bench',
    token,
    behaviour: { throttling, quotas },
  });
  await settled(clock, system.start());
  const send = (method: string, path: string, body: unknown, contentType: string) =>
    system.server.fetch(
      new Request(`https://127.0.0.1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const post: ControlPlane['post'] = async (path, body) => {
    const response = await send('POST', path, body, 'application/json');
    const text = await response.text();
    if (!response.ok && response.status !== 503) throw new Error(`POST ${path}: ${text}`);
    return response.status;
  };
  const request: ControlPlane['request'] = async (method, path, body, contentType = 'application/json') => {
    const response = await settled(clock, send(method, path, body, contentType));
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as KubeObject;
  };
  const reader = openStore({ table: objects, clock, random, keys, kinds, notifier: memoryNotifier(clock) });
  return { system, clock, meter, throttles, stored: () => storedIn(objects, work), reader, errors, post, request };
};

/** Advances the clock a second at a time until `done`; throws after some virtual hours, with what is `left`. */
export const until = async (
  { clock, errors }: ControlPlane,
  what: string,
  done: () => Promise<boolean>,
  hours: number,
  left: () => Promise<string>,
): Promise<void> => {
  const deadline = clock.now() + hours * 3600 * second;
  while (!(await done())) {
    if (clock.now() > deadline) {
      const facts = [`not within ${hours} h: ${what}`, await left(), ...errors.slice(-5)];
      throw new Error(facts.join('\n'));
    }
    await clock.advance(second);
  }
};
