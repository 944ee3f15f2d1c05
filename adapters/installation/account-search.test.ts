import { beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../machinery/ports.ts';
import { seededRandom } from '../memory/random.ts';
import { memoryTable } from '../memory/table.ts';
import { type VirtualClock, virtualClock } from '../memory/virtual-clock.ts';
import { shareSearch } from './index.ts';

const second = 1000;
let clock: VirtualClock;
let table: Table;
let looks: number;

const random = seededRandom(1);
/** A process whose search takes `takes` and finds `found`. */
const looker = (takes: number, found: string[] | Error = []) =>
  shareSearch({ table, clock, random, believed: 30 * second }, async () => {
    looks++;
    await new Promise<void>((resolve) => void clock.after(takes, resolve));
    if (found instanceof Error) throw found;
    return found;
  });
/** The outcome of each search, after a minute. */
const ends = async (...runs: Promise<unknown>[]) => {
  const all = Promise.allSettled(runs);
  for (let i = 0; i < 60; i++) await clock.advance(second);
  return (await all).map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).name));
};

beforeEach(() => {
  clock = virtualClock(Date.UTC(2026, 10, 21));
  table = memoryTable({ clock });
  looks = 0;
});

describe('a search of the account', () => {
  it('is shared by concurrent callers', async () => {
    const found = ['eu-west-1'];
    const all = [1, 2, 3, 4, 5].map(() => looker(3 * second, found)());
    expect(await ends(...all)).toEqual([found, found, found, found, found]);
    expect(looks).toBe(1);
  });

  it('is cached from the time when it began', async () => {
    const look = looker(10 * second);
    const first = look();
    for (let i = 0; i < 29; i++) await clock.advance(second);
    await first;
    await look();
    expect(looks).toBe(1);
    await clock.advance(second);
    await ends(look());
    expect(looks).toBe(2);
  });

  it('is repeated by the next caller when it failed', async () => {
    const failed = looker(second, new Error('throttled'))();
    const next = looker(second, ['eu-west-1'])();
    expect(await ends(failed, next)).toEqual(['Error', ['eu-west-1']]);
    expect(looks).toBe(2);
  });

  it('is awaited while its process may be alive, and then taken over', async () => {
    void looker(Number.POSITIVE_INFINITY)();
    await clock.advance(0);
    expect(await ends(looker(second)())).toEqual(['PositionBusy']);
    expect(await ends(looker(second)())).toEqual([[]]);
  });

  it('that outlives its lease does not overwrite the result of its successor', async () => {
    const slow = looker(50 * second, ['eu-west-1'])();
    await clock.advance(31 * second);
    const next = looker(second)();
    for (let i = 0; i < 25; i++) await clock.advance(second);
    expect(await Promise.all([next, slow, looker(second)()])).toEqual([[], ['eu-west-1'], []]);
  });
});
