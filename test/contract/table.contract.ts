import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import {
  type Clock,
  type Item,
  OutcomeUnknown,
  Refused,
  type Table,
  type TableQuery,
  Throttled,
  TransactionRefused,
  type Write,
} from '../../machinery/ports.ts';
import { type Deviations, expectDeviations } from './deviations.ts';

type Change = Exclude<Write, { check: unknown }>;

/** What a Table promises. Calls that it may throttle are repeated, as every caller must. */
export const tableContract = (
  name: string,
  open: (clock: Clock) => Promise<{ table: Table; close?: () => void }>,
  deviations: Deviations = {},
) =>
  describe(`Table: ${name}`, () => {
    expectDeviations(deviations);
    let clock: VirtualClock;
    let table: Table;
    let close: (() => void) | undefined;
    let tokens = 0;

    beforeEach(async () => {
      clock = virtualClock(Date.UTC(2026, 0, 1));
      ({ table, close } = await open(clock));
    });
    afterEach(() => close?.());

    const steady = async <T>(call: () => Promise<T>): Promise<T> => {
      for (;;) {
        const outcome = call().then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        await clock.advance(1000);
        const settled = await outcome;
        if ('value' in settled) return settled.value;
        if (!(settled.error instanceof Throttled)) throw settled.error;
      }
    };
    const get = (pk: string, sk: string | number) => steady(() => table.get({ pk, sk }, { consistent: true }));
    /** For writes that are idempotent. */
    const settle = async (call: () => Promise<unknown>): Promise<void> => {
      for (;;) {
        try {
          await steady(call);
          return;
        } catch (error) {
          if (!(error instanceof OutcomeUnknown)) throw error;
        }
      }
    };
    const put = (item: Item) => settle(() => table.write({ put: item }));
    const write = (change: Change) => settle(() => table.write(change));
    const transact = (writes: Write[], token = `token-${++tokens}`) => settle(() => table.transact(token, writes));
    const all = async (query: Omit<TableQuery, 'consistent'>) => {
      const items: Item[] = [];
      let after = query.after;
      do {
        const page = await steady(() => table.query({ ...query, consistent: true, ...(after && { after }) }));
        items.push(...page.items);
        after = page.next;
      } while (after);
      return items;
    };
    const sortKeys = async (query: Omit<TableQuery, 'consistent'>) => (await all(query)).map(({ sk }) => sk);

    it('returns what was put, of every type, and keeps no reference to it', async () => {
      const item: Item = {
        pk: 'p',
        sk: 'a',
        text: 'x',
        number: 1.5,
        yes: true,
        none: null,
        bytes: new Uint8Array([1, 2, 255]),
        list: [1, 'two', { three: 3 }],
        map: { deep: { deeper: ['x'] } },
      };
      await put(item);
      (item.list as unknown[]).push('later');
      const got = (await get('p', 'a'))!;
      expect(got).toMatchObject({ text: 'x', number: 1.5, yes: true, none: null, list: [1, 'two', { three: 3 }] });
      expect([...(got.bytes as Uint8Array)]).toEqual([1, 2, 255]);
      // Frozen or a copy: a change has no effect either way.
      Reflect.set(got.map as object, 'deep', 'changed');
      expect((await get('p', 'a'))!.map).toEqual({ deep: { deeper: ['x'] } });
      expect(await get('p', 'b')).toBeUndefined();
    });

    it('drops attributes that are undefined', async () => {
      await put({ pk: 'p', sk: 'a', nothing: undefined, map: { nothing: undefined, some: 1 } });
      expect(await get('p', 'a')).toStrictEqual({ pk: 'p', sk: 'a', map: { some: 1 } });
    });

    it('sorts strings by code unit and numbers by value, within bounds, both ways', async () => {
      for (const sk of ['b', 'a/1', 'a', 'B', 'a-1']) await put({ pk: 'text', sk });
      for (const sk of [10, 9, 1000, 1]) await put({ pk: 'number', sk });
      await put({ pk: 'text2', sk: 'a' });
      expect(await sortKeys({ pk: 'text' })).toEqual(['B', 'a', 'a-1', 'a/1', 'b']);
      expect(await sortKeys({ pk: 'text', from: 'a', to: 'a/1' })).toEqual(['a', 'a-1', 'a/1']);
      expect(await sortKeys({ pk: 'number' })).toEqual([1, 9, 10, 1000]);
      expect(await sortKeys({ pk: 'number', from: 2, to: 999, descending: true })).toEqual([10, 9]);
      expect(await sortKeys({ pk: 'number', from: 11, to: 999 })).toEqual([]);
    });

    it('continues after a key, whether it still exists or not', async () => {
      for (let sk = 1; sk <= 9; sk++) await put({ pk: 'p', sk });
      const first = await steady(() => table.query({ pk: 'p', limit: 2, consistent: true }));
      expect(first.items.map(({ sk }) => sk)).toEqual([1, 2]);
      expect(first.next).toEqual({ pk: 'p', sk: 2 });
      await write({ delete: { pk: 'p', sk: 2 } });
      expect(await sortKeys({ pk: 'p', after: { pk: 'p', sk: 2 } })).toEqual([3, 4, 5, 6, 7, 8, 9]);
      expect(await sortKeys({ pk: 'p', after: { pk: 'p', sk: 4 }, descending: true })).toEqual([3, 1]);
    });

    it('returns pages of at most one megabyte', async () => {
      for (let sk = 0; sk < 8; sk++) await put({ pk: 'p', sk, bytes: new Uint8Array(300_000) });
      const page = await steady(() => table.query({ pk: 'p', consistent: true }));
      expect(page.items.length).toBeLessThanOrEqual(3);
      expect(page.next).toBeDefined();
      expect(await sortKeys({ pk: 'p' })).toHaveLength(8);
    });

    it('writes under a condition or refuses, returning the stored item', async () => {
      await write({ put: { pk: 'p', sk: 'a', n: 1 }, when: { exists: false } }).catch(() => undefined);
      const again = steady(() => table.write({ put: { pk: 'p', sk: 'a', n: 2 }, when: { exists: false } }));
      await expect(again).rejects.toBeInstanceOf(Refused);
      await expect(again).rejects.toMatchObject({ item: { n: 1 } });
      const missing = steady(() => table.write({ delete: { pk: 'p', sk: 'b' }, when: { exists: true } }));
      await expect(missing).rejects.toMatchObject({ name: 'Refused', item: undefined });
      expect(await get('p', 'a')).toMatchObject({ n: 1 });
    });

    it.each([
      { when: { attribute: 'n', is: '=', value: 5 }, holds: true },
      { when: { attribute: 'n', is: '=', value: '5' }, holds: false },
      { when: { attribute: 'n', is: '<', value: 5 }, holds: false },
      { when: { attribute: 'n', is: '<=', value: 5 }, holds: true },
      { when: { attribute: 'n', is: '>', value: 4 }, holds: true },
      { when: { attribute: 'n', is: '>=', value: 6 }, holds: false },
      { when: { attribute: 'n', is: '>', value: '4' }, holds: false },
      { when: { attribute: 's', is: '<', value: 'b' }, holds: true },
      { when: { attribute: 'x', is: '<', value: 9 }, holds: false },
      { when: { attribute: 'x', is: 'absent' }, holds: true },
      { when: { attribute: 'n', is: 'present' }, holds: true },
      { when: { all: [{ exists: true }, { attribute: 'x', is: 'present' }] }, holds: false },
      { when: { any: [{ exists: false }, { attribute: 'n', is: '=', value: 5 }] }, holds: true },
    ] as const)('$when holds: $holds', async ({ when, holds }) => {
      await put({ pk: 'p', sk: 'a', n: 5, s: 'a' });
      const check = { check: { pk: 'p', sk: 'a' }, when: when as never };
      const outcome = transact([check, { put: { pk: 'p', sk: 'b' } }]);
      if (holds) await outcome;
      else await expect(outcome).rejects.toMatchObject({ refused: [true, false] });
      expect((await get('p', 'b')) !== undefined).toBe(holds);
    });

    it('updates attributes in place, and creates a missing item', async () => {
      await put({ pk: 'p', sk: 'a', keep: 1, drop: 1 });
      await write({ update: { pk: 'p', sk: 'a' }, set: { map: { x: 1 } }, remove: ['drop', 'never'] });
      expect(await get('p', 'a')).toStrictEqual({ pk: 'p', sk: 'a', keep: 1, map: { x: 1 } });
      await write({ update: { pk: 'p', sk: 'new' }, set: { x: 1 } });
      expect(await get('p', 'new')).toStrictEqual({ pk: 'p', sk: 'new', x: 1 });
    });

    it('gives concurrent additions different results', async () => {
      await put({ pk: 'p', sk: 'counter', n: 100 });
      const add = async (): Promise<number> => {
        for (;;) {
          try {
            return (await table.write({ update: { pk: 'p', sk: 'counter' }, add: { n: 1 } }))!.n as number;
          } catch (error) {
            if (!(error instanceof Throttled || error instanceof OutcomeUnknown)) throw error;
          }
        }
      };
      const adding = Promise.all(Array.from({ length: 20 }, add));
      await clock.advance(60_000);
      const numbers = await adding;
      expect(new Set(numbers).size).toBe(20);
      expect((await get('p', 'counter'))!.n).toBeGreaterThanOrEqual(120);
    });

    it('applies a transaction completely or not at all', async () => {
      await put({ pk: 'p', sk: 'a', n: 1 });
      await put({ pk: 'p', sk: 'gone' });
      await transact([
        { put: { pk: 'p', sk: 'b' } },
        { update: { pk: 'p', sk: 'a' }, add: { n: 1 } },
        { delete: { pk: 'p', sk: 'gone' } },
        { check: { pk: 'p', sk: 'never' }, when: { exists: false } },
      ]);
      expect(await get('p', 'a')).toMatchObject({ n: 2 });
      expect(await sortKeys({ pk: 'p' })).toEqual(['a', 'b']);
      const refused = transact([
        { put: { pk: 'p', sk: 'c' } },
        { update: { pk: 'p', sk: 'a' }, add: { n: 1 }, when: { attribute: 'n', is: '=', value: 1 } },
        { put: { pk: 'p', sk: 'b' }, when: { exists: false } },
      ]);
      await expect(refused).rejects.toBeInstanceOf(TransactionRefused);
      await expect(refused).rejects.toMatchObject({ refused: [false, true, true] });
      expect(await get('p', 'c')).toBeUndefined();
      expect(await get('p', 'a')).toMatchObject({ n: 2 });
    });

    it('applies a transaction once per token', async () => {
      await put({ pk: 'p', sk: 'a', n: 0 });
      const once: Write[] = [{ update: { pk: 'p', sk: 'a' }, add: { n: 1 } }];
      await transact(once, 'same');
      await transact(once, 'same');
      expect(await get('p', 'a')).toMatchObject({ n: 1 });
    });

    it('refuses two writes to one item, and more than a hundred', async () => {
      const twice = transact([{ put: { pk: 'p', sk: 'a' } }, { delete: { pk: 'p', sk: 'a' } }]);
      await expect(twice).rejects.toThrow();
      const many = transact(Array.from({ length: 101 }, (_, sk) => ({ put: { pk: 'p', sk } })));
      await expect(many).rejects.toThrow();
      expect(await all({ pk: 'p' })).toEqual([]);
    });

    it('drops an item some time after its TTL in epoch seconds, and never before', async () => {
      const ttl = Math.ceil(clock.now() / 1000) + 7200;
      await put({ pk: 'p', sk: 'a', ttl });
      await put({ pk: 'p', sk: 'b', ttl });
      await write({ update: { pk: 'p', sk: 'b' }, remove: ['ttl'] });
      await clock.advance(3600_000);
      expect(await sortKeys({ pk: 'p' })).toEqual(['a', 'b']);
      await clock.advance(4 * 24 * 3600_000);
      await put({ pk: 'other', sk: 'x' });
      expect(await sortKeys({ pk: 'p' })).toEqual(['b']);
    });

    it('refuses an item over 400 KB', async () => {
      await expect(put({ pk: 'p', sk: 'a', bytes: new Uint8Array(420_000) })).rejects.toThrow();
    });

    it.each([
      { key: 'partition', longest: { pk: 'ä'.repeat(1024), sk: 'a' }, longer: { pk: `${'ä'.repeat(1024)}a`, sk: 'a' } },
      { key: 'sort', longest: { pk: 'p', sk: `${'ä'.repeat(511)}a` }, longer: { pk: 'p', sk: 'ä'.repeat(512) } },
    ])('refuses a $key key above the limit', async ({ longest, longer }) => {
      await put(longest);
      await expect(put(longer)).rejects.toThrow();
      await expect(transact([{ put: longer }])).rejects.toThrow();
      await expect(write({ update: longer, set: { a: 1 } })).rejects.toThrow();
    });
  });
