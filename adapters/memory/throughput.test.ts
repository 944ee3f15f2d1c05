import { describe, expect, it } from 'vitest';
import { Throttled, TransactionRefused } from '../../machinery/ports.ts';
import { misbehavingTable } from './misbehaving-table.ts';
import { seededRandom } from './random.ts';
import { memoryTable } from './table.ts';
import { limitedTable, partitionThroughput, type Throughput } from './throughput.ts';
import { virtualClock } from './virtual-clock.ts';

const kilobytes = (count: number) => 'x'.repeat(count * 1024 - 40);
const put = (pk: string, sk: string, body = '', when?: { exists: boolean }) => ({
  put: { pk, sk, body },
  ...(when && { when }),
});

const open = (partition: Throughput = { read: 10, write: 10 }, table?: Throughput) => {
  const clock = virtualClock(0);
  const throttles: string[] = [];
  const limited = limitedTable(memoryTable({ clock }), {
    clock,
    partition: () => partition,
    ...(table && { table }),
    onThrottle: (name, kind) => throttles.push(`${kind} ${name}`),
  });
  return { clock, limited, throttles };
};

/** How many calls succeed before one is throttled. */
const until = async (call: (index: number) => Promise<unknown>): Promise<number> => {
  for (let index = 0; index < 10_000; index++) {
    try {
      await call(index);
    } catch (error) {
      expect(error).toBeInstanceOf(Throttled);
      return index;
    }
  }
  throw new Error('no call was throttled');
};

describe('a partition key', () => {
  it.each([
    { rule: 'charges a write one unit per started KB', calls: 10, write: (n: number) => put('p', `${n}`) },
    { rule: 'charges a write of two KB two units', calls: 5, write: (n: number) => put('p', `${n}`, kilobytes(2)) },
    {
      rule: 'charges an overwrite for the larger of both items',
      calls: 4,
      write: (n: number) => put('p', 's', kilobytes(n ? 1 : 4)),
    },
  ])('$rule', async ({ calls, write }) => {
    const { limited } = open();
    expect(await until((n) => limited.write(write(n)))).toBe(calls);
  });

  it('charges a transaction twice, on every partition that it writes', async () => {
    const { limited, throttles } = open();
    const transact = (n: number) => limited.transact(`t${n}`, [put('p', `${n}`), put('q', `${n}`, kilobytes(2))]);
    expect(await until(transact)).toBe(2);
    expect(throttles).toEqual(['write q']);
    expect(await limited.query({ pk: 'p', consistent: true })).toMatchObject({ items: [{ sk: '0' }, { sk: '1' }] });
  });

  it('charges a failed condition like a successful one', async () => {
    const { limited } = open();
    await limited.write(put('p', 's'));
    const refused = (n: number) =>
      limited.transact(`t${n}`, [put('p', 's', '', { exists: false })]).catch((error) => {
        if (!(error instanceof TransactionRefused)) throw error;
      });
    expect(await until(refused)).toBe(4);
  });

  it('charges a read one unit per started 4 KB, half when eventually consistent, and at least one', async () => {
    for (const [consistent, calls] of [
      [true, 5],
      [false, 10],
    ] as const) {
      const { limited } = open({ read: 10, write: 100 });
      await limited.write(put('p', 's', kilobytes(7)));
      expect(await until(() => limited.get({ pk: 'p', sk: 's' }, { consistent }))).toBe(calls);
    }
    const { limited } = open();
    expect(await until(() => limited.get({ pk: 'p', sk: 's' }, { consistent: true }))).toBe(10);
  });

  it('charges a query for the size of its page', async () => {
    const { limited } = open({ read: 10, write: 100 });
    for (let n = 0; n < 4; n++) await limited.write(put('p', `${n}`, kilobytes(3)));
    expect(await until(() => limited.query({ pk: 'p', consistent: true }))).toBe(3);
    expect(await limited.query({ pk: 'q', consistent: true })).toEqual({ items: [] });
  });

  it('refills over time and saves at most one second of capacity', async () => {
    const { clock, limited } = open();
    const write = (n: number) => limited.write(put('p', `${n}`));
    expect(await until(write)).toBe(10);
    await clock.advance(500);
    expect(await until(write)).toBe(5);
    await clock.advance(60_000);
    expect(await until(write)).toBe(10);
  });

  it('admits an item above one second of capacity once a full second is saved', async () => {
    const { clock, limited } = open();
    const large = () => limited.write(put('p', 's', kilobytes(30)));
    await large();
    await clock.advance(999);
    await expect(large()).rejects.toThrow(Throttled);
    await clock.advance(1);
    await large();
  });

  it('does not slow down another partition, but all share the capacity of the table', async () => {
    const { limited, throttles } = open({ read: 10, write: 10 }, { read: 100, write: 15 });
    expect(await until((n) => limited.write(put('p', `${n}`)))).toBe(10);
    expect(await until((n) => limited.write(put('q', `${n}`)))).toBe(5);
    expect(throttles).toEqual(['write p', 'write ']);
  });
});

it('exempts an unlimited partition key', async () => {
  const clock = virtualClock(0);
  const limited = limitedTable(memoryTable({ clock }), {
    clock,
    partition: () => ({ read: 10, write: 10 }),
    table: { read: 10, write: 10 },
    unlimited: ['p'],
  });
  for (let n = 0; n < 50; n++) await limited.write(put('p', `${n}`));
  expect(await until((n) => limited.write(put('q', `${n}`)))).toBe(10);
});

describe('a throttled call of a misbehaving table', () => {
  it('has no effect, now or later', async () => {
    const clock = virtualClock(0);
    const mischief: string[] = [];
    const manners = { throttled: 0, unknown: 0, split: 0, throughput: { read: 3000, write: 40 } };
    const table = misbehavingTable(clock, seededRandom(1), manners, undefined, (what) => mischief.push(what));
    const transact = (n: number) => table.transact(`t${n}`, [put('p', `${n}`)]);
    expect(await until(transact)).toBe(20);
    expect(mischief).toEqual(['hot']);
    await clock.advance(60_000);
    expect(await table.get({ pk: 'p', sk: '20' }, { consistent: true })).toBeUndefined();
    await transact(20);
    expect(await table.get({ pk: 'p', sk: '20' }, { consistent: true })).toBeDefined();
  });

  it('occurs at the rate of DynamoDB by default', async () => {
    const clock = virtualClock(0);
    const table = misbehavingTable(clock, seededRandom(1), { throttled: 0, unknown: 0, split: 0 });
    expect(await until((n) => table.write(put('p', `${n}`)))).toBe(partitionThroughput.write);
  });
});
