import { expect, it } from 'vitest';
import { seededRandom } from '../adapters/memory/random.ts';
import { memoryTable } from '../adapters/memory/table.ts';
import { virtualClock } from '../adapters/memory/virtual-clock.ts';
import { createPlaces, type Taken } from './places.ts';
import { OutcomeUnknown, type Table } from './ports.ts';

const createWorld = (most: number, change: (table: Table) => Table = (table) => table) => {
  const clock = virtualClock(Date.UTC(2026, 10, 21));
  const table = change(memoryTable({ clock }));
  const places = createPlaces({ table, clock, random: seededRandom(7), name: 'seats', most });
  return { clock, table, places };
};
const minute = 60_000;
const held = (all: Taken[]) => all.filter(({ place }) => place);

it('never leases more places than there are, whatever the number of processes', async () => {
  const { places } = createWorld(5);
  const all = await Promise.all(Array.from({ length: 30 }, () => places.take(minute)));
  expect(held(all)).toHaveLength(5);
});

it('reports how many places are free, and when the next lease expires', async () => {
  const { places, clock } = createWorld(2);
  const begun = clock.now();
  expect(await places.take(minute)).toMatchObject({ free: 1 });
  await clock.advance(10_000);
  expect(await places.take(minute)).toMatchObject({ free: 0 });
  expect(await places.take(minute)).toEqual({ place: undefined, until: begun + minute });
});

it('leases a place again after its release or its expiry', async () => {
  const { places, clock } = createWorld(1);
  const { place } = await places.take(minute);
  await place!.leave();
  expect((await places.take(minute)).place).toBeDefined();
  expect((await places.take(minute)).place).toBeUndefined();
  await clock.advance(minute);
  expect((await places.take(minute)).place).toBeDefined();
});

it('does not release a place that another process has leased since', async () => {
  const { places, clock } = createWorld(1);
  const place = (await places.take(minute)).place!;
  await clock.advance(minute);
  expect((await places.take(minute)).place).toBeDefined();
  await place.leave();
  expect((await places.take(minute)).place).toBeUndefined();
});

it('leases only one place when the outcome of its write is unknown', async () => {
  let isLost = true;
  const { places, clock } = createWorld(2, (table) => ({
    ...table,
    write: async (given) => {
      const written = await table.write(given);
      if (isLost) {
        isLost = false;
        throw new OutcomeUnknown();
      }
      return written;
    },
  }));
  const taking = places.take(minute);
  await clock.advance(1_000);
  expect(await taking).toMatchObject({ free: 1 });
  expect((await places.take(minute)).place).toBeDefined();
  expect((await places.take(minute)).place).toBeUndefined();
});
