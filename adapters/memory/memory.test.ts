import { describe, expect, it } from 'vitest';
import { freeze } from '../../machinery/api/frozen.ts';
import type { Attribute, Refused } from '../../machinery/ports.ts';
import { memoryNotifier } from './notifier.ts';
import { memoryQueue } from './queue.ts';
import { seededRandom, systemRandom } from './random.ts';
import { memoryStorage } from './storage.ts';
import { memoryTable } from './table.ts';
import { virtualClock } from './virtual-clock.ts';

describe('a notifier', () => {
  it('wakes the waiters of a type at once, and the others when their timeout elapses', async () => {
    const clock = virtualClock(0);
    const notifier = memoryNotifier(clock);
    const woken: string[] = [];
    const wait = (type: string, ms: number, signal?: AbortSignal) =>
      void notifier.wait(type, ms, signal).then(() => woken.push(`${type}@${clock.now()}`));
    const aborted = new AbortController();
    notifier.notify('a');
    wait('a', 100);
    wait('b', 50);
    wait('c', 70, aborted.signal);
    await clock.advance(10);
    notifier.notify('a');
    aborted.abort();
    await clock.advance(100);
    expect(woken).toEqual(['a@10', 'c@10', 'b@50']);
    expect(clock.pending).toBe(0);
  });
});

describe('a queue', () => {
  it('delivers after the delay, redelivers with a count after a failure or a put back, and delivers nothing after stop', async () => {
    const clock = virtualClock(0);
    const got: string[] = [];
    const errors: unknown[] = [];
    const queue = memoryQueue(
      clock,
      async (message, deliveries) => {
        got.push(`${message} ${deliveries} @${clock.now()}`);
        if (message === 'bad' && deliveries < 3) throw new Error('not yet');
        return message === 'later' && deliveries < 2 ? { do: 'putBack', ms: 7000 } : { do: 'acknowledge' };
      },
      { visibility: 1000, onError: (error) => errors.push(error) },
    );
    await queue.send('late', 5);
    await queue.send('bad');
    await queue.send('later');
    await expect(queue.send('never', 901)).rejects.toThrow('900');
    await clock.advance(60_000);
    const bad = ['bad 1 @0', 'later 1 @0', 'bad 2 @1000', 'bad 3 @2000'];
    expect(got).toEqual([...bad, 'late 1 @5000', 'later 2 @7000']);
    expect(errors).toEqual([new Error('not yet'), new Error('not yet')]);
    queue.stop();
    await queue.send('lost');
    await clock.advance(60_000);
    expect(got).toHaveLength(6);
  });
});

describe('seeded random numbers', () => {
  it('repeat for the same seed, lie in [0, 1) and form valid UUIDs', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return [...Array.from({ length: 5 }, () => random.next()), random.uuid(), [...random.bytes(4)]];
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    for (const random of [seededRandom(3), systemRandom]) {
      const numbers = Array.from({ length: 1000 }, () => random.next());
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...numbers)).toBeLessThan(1);
      expect(numbers.reduce((sum, n) => sum + n) / 1000).toBeCloseTo(0.5, 1);
      expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});

describe('a table in memory', () => {
  it('is unaffected by changes to values that went in or came out', async () => {
    const table = memoryTable({ clock: virtualClock(0), items: [{ pk: 'p', sk: 'given', of: { list: [1] } }] });
    const of = { list: [1, { deep: 'a' }] };
    const item = { pk: 'p', sk: 'put', of };
    await table.write({ put: item });
    await table.transact('token', [{ update: { pk: 'p', sk: 'updated' }, set: { of } }]);
    const get = (sk: string) => table.get({ pk: 'p', sk }, { consistent: true });
    const refused = () => table.write({ put: item, when: { exists: false } }).catch(({ item }: Refused) => item);
    const written = await table.write({ update: { pk: 'p', sk: 'updated' }, add: { n: 1 } });

    of.list.push(2);
    (of.list[1] as { deep: string }).deep = 'b';
    const { items } = await table.query({ pk: 'p', consistent: true });
    for (const shown of [...items, await get('put'), written, await refused()]) {
      const { list } = shown!.of as { list: unknown[] };
      expect(() => list.push(3)).toThrow(TypeError);
      expect(() => Object.assign(list[1] ?? shown!.of!, { deep: 'c' })).toThrow(TypeError);
      expect(() => Object.assign(shown!, { more: true })).toThrow(TypeError);
    }
    items.pop();

    const kept = { list: [1, { deep: 'a' }] };
    expect(await table.query({ pk: 'p', consistent: true })).toEqual({
      items: [
        { pk: 'p', sk: 'given', of: { list: [1] } },
        { pk: 'p', sk: 'put', of: kept },
        { pk: 'p', sk: 'updated', of: kept, n: 1 },
      ],
    });
  });

  it('shares deeply frozen values and copies all others', async () => {
    const table = memoryTable({ clock: virtualClock(0) });
    const frozen = freeze<Attribute>({ deep: ['a'] });
    const inner = { list: ['a'] };
    const item = { pk: 'p', sk: 'a', frozen, half: Object.freeze({ inner, gone: undefined }) };
    await table.write({ put: item });
    inner.list.push('b');
    const kept = (await table.get({ pk: 'p', sk: 'a' }, { consistent: true }))!;
    expect(kept.frozen).toBe(frozen);
    expect(kept.half).toStrictEqual({ inner: { list: ['a'] } });
    expect(() => (kept.half as typeof item.half).inner.list.push('c')).toThrow(TypeError);
  });
});

describe('storage in memory', () => {
  it('keeps one set of records and one table per name', async () => {
    const storage = memoryStorage(virtualClock(0));
    storage.records<number>('a').put('x', 1);
    expect(storage.records('a').entries()).toEqual([['x', 1]]);
    expect(storage.records('b').entries()).toEqual([]);
    await storage.table('t').write({ put: { pk: 'p', sk: 1 } });
    expect(await storage.table('t').get({ pk: 'p', sk: 1 }, { consistent: true })).toEqual({ pk: 'p', sk: 1 });
    storage.dropTable('t');
    expect(await storage.table('t').get({ pk: 'p', sk: 1 }, { consistent: true })).toBeUndefined();
  });
});
