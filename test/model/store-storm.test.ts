import { describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { misbehavingTable } from '../../adapters/memory/misbehaving-table.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Random } from '../../machinery/ports.ts';
import { openStore } from '../../machinery/store/index.ts';
import { type Client, clientOf } from './store-client.ts';
import { createHistory, start } from './store-history.ts';

const second = 1000;
const hour = 3600 * second;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)]!;

interface Weather {
  requests: number;
  /** The longest pause between two requests, in milliseconds. */
  rest: number;
  /** The poll interval of a watch. */
  poll: number;
}

/** Random requests on few names. */
const wander = async (client: Client, random: Random, { requests, rest }: Weather): Promise<void> => {
  for (let request = 0; request < requests; request++) {
    await client.pause(random.next() * rest);
    await client[pick(random, ['create', 'create', 'patch', 'update', 'remove'] as const)](
      pick(random, ['a', 'b', 'c']),
    );
    if (random.next() < 0.4) await client.list();
    if (random.next() < 0.4) await client.pages();
  }
};

/** Many processes over one misbehaving table, until all are done and everything has settled. */
const storm = async (seed: number, weather: Weather): Promise<number> => {
  const clock = virtualClock(start);
  const history = createHistory(clock.now);
  let changes = 0;
  const table = misbehavingTable(clock, seededRandom(seed), {}, ({ put }) => {
    for (const item of put) history.onItem(item, 'anyone');
    changes += put.length;
  });
  const notifier = memoryNotifier(clock);
  const clientNamed = (name: string, number: number) => {
    const random = seededRandom(seed * 1000 + number);
    const store = openStore({
      table,
      clock,
      random,
      keys: memoryKeys(random),
      kinds: [],
      notifier,
      poll: weather.poll,
    });
    return { client: clientOf(name, store, history, clock), random };
  };
  let running = 0;
  const launch = async (work: Promise<void>) => {
    running++;
    await work;
    running--;
  };
  const { client: last } = clientNamed('last', 99);
  void launch(last.list());
  await clock.run(() => running === 0);
  for (const [number, name] of ['A', 'B', 'C', 'D', 'E', 'F'].entries()) {
    const { client, random } = clientNamed(name, number);
    void launch(wander(client, random, weather));
  }
  for (const name of ['V', 'W']) {
    const { client } = clientNamed(name, name.charCodeAt(0));
    for (const behind of [0, 1, 0]) void client.watch(behind);
  }
  expect(await clock.run(() => running === 0, start + 2000 * hour)).toBe(true);
  void launch(last.list());
  await clock.advance(30 * second);
  history.check();
  history.checkEnd();
  return changes;
};

describe('the store over a misbehaving table', () => {
  it.each(
    Array.from({ length: 12 }, (_, seed) => seed + 1),
  )('keeps every property in a storm (seed %i)', async (seed) => {
    expect(await storm(seed, { requests: 10, rest: second, poll: second })).toBeGreaterThan(50);
  });

  it.each([1, 2, 3, 4])('keeps every property over days of sleep and expiry (seed %i)', async (seed) => {
    expect(await storm(seed, { requests: 3, rest: 40 * hour, poll: hour })).toBeGreaterThan(20);
  });
});
