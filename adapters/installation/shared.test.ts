/** Several processes that act for one installation in turn; test/model interleaves them. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Mark } from '../../kinds/ports/installation.ts';
import type { Item, Table } from '../../machinery/ports.ts';
import { seededRandom } from '../memory/random.ts';
import { memoryTable } from '../memory/table.ts';
import { type VirtualClock, virtualClock } from '../memory/virtual-clock.ts';
import { openPosition, type Position } from './index.ts';

const second = 1000;
const key = { pk: 'position', sk: 'installation' };

let clock: VirtualClock;
let table: Table;
let mark: Mark | undefined;
let marks: number[];
let isEmpty: boolean;
let held: () => string[];
/** The error that the marker throws instead of writing. */
let refusal: Error | undefined;
/** The mark that an eventually consistent read returns. */
let stale: Mark | undefined;
/** The highest mark ever written, when that is not the current one. */
let furthest: Mark | undefined;
let isUnreadable: boolean;

const random = seededRandom(1);
const read = async () => {
  if (isUnreadable) throw new Error('the parameter did not answer');
  return stale ?? mark;
};
const open = (): Position =>
  openPosition({
    installation: 'here',
    table,
    marker: {
      read,
      furthest: async () => furthest ?? read(),
      write: async (next) => {
        if (refusal) throw refusal;
        marks.push(next.position);
        mark = next;
      },
    },
    isEmpty: async () => isEmpty,
    regionsHeld: async () => held(),
    sharing: { clock, random, quantum: 10 * second, lease: 60 * second },
    log: { info: () => {}, error: () => {} },
  });
const stored = () => table.get(key, { consistent: true });
const restore = (item: Item | undefined) => table.write(item ? { put: item } : { delete: key });
/** Advances the clock until the promise settles. */
const passing = async <T>(run: Promise<T>): Promise<T> => {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  run.then(end, end);
  while (!isDone) await clock.advance(100);
  return run;
};

beforeEach(() => {
  clock = virtualClock(Date.UTC(2026, 10, 21));
  table = memoryTable({ clock });
  mark = undefined;
  marks = [];
  isEmpty = false;
  held = () => [];
  refusal = undefined;
  stale = undefined;
  furthest = undefined;
  isUnreadable = false;
});

describe('a shared position', () => {
  it('is marked once in ten seconds, whichever process acts', async () => {
    const [one, other] = [open(), open()];
    for (let acts = 0; acts < 25; acts++) {
      await one.before('r');
      await other.before('r');
      await clock.advance(second);
    }
    expect(marks).toEqual([1, 2, 3]);
    expect(await stored()).toMatchObject({ n: 3, regions: ['r'] });
  });

  it('is marked at once for a new region', async () => {
    await open().before('r');
    await open().before('s');
    expect(mark).toEqual({ position: 2, regions: ['r', 's'] });
  });

  it('keeps regions that a stale read of the mark omits', async () => {
    await open().before('r');
    stale = { position: 1, regions: [] };
    await open().before('s');
    expect(mark?.regions).toEqual(['r', 's']);
  });

  it('freezes every process when an older table is restored, unless the backup is only seconds old', async () => {
    const [one, other] = [open(), open()];
    await one.before('r');
    const backup = await stored();
    await clock.advance(11 * second);
    await other.before('r');
    await restore(backup);
    await clock.advance(11 * second);
    for (const process of [one, other, open()]) await expect(process.before('r')).rejects.toThrow('ObjectsOlder');
  });

  it('freezes when the table was emptied', async () => {
    await open().before('r');
    await restore(undefined);
    await expect(open().before('r')).rejects.toThrow('ObjectsLost');
  });

  it('freezes when both table and mark are lost and the account is not empty', async () => {
    isEmpty = true;
    held = () => ['r'];
    expect((await open().check()).freeze?.reason).toBe('ObjectsLost');
    isEmpty = false;
    await expect(open().before('r')).rejects.toThrow('ObjectsLost');
  });

  it('is thawed for all processes by one', async () => {
    await open().before('r');
    await clock.advance(11 * second);
    await open().before('r');
    await restore({ ...key, n: 1 });
    const [one, other] = [open(), open()];
    const { freeze } = await one.check();
    await one.thaw(freeze!.id);
    await other.thaw(freeze!.id);
    for (const process of [one, other]) expect((await process.check()).freeze).toBeUndefined();
    await clock.advance(11 * second);
    await other.before('r');
    expect((await stored())?.n).toBe(mark?.position);
  });
});

describe('a shared position is not advanced', () => {
  it.each([
    { seconds: 31, expected: 'PositionBusy' },
    { seconds: 29, expected: undefined },
  ])('by a process that used half of its lease to acquire it: $seconds of 60 s', async ({ seconds, expected }) => {
    const { write } = table;
    table = {
      ...table,
      write: async (request) => {
        await write(request);
        await clock.advance(seconds * second);
      },
    };
    const code = await open()
      .before('r')
      .then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
    expect([code, marks]).toEqual([expected, expected ? [] : [1]]);
  });

  it('while a crashed process may still write the mark, and is advanced afterwards', async () => {
    await open().before('r');
    await clock.advance(11 * second);
    refusal = new Error('the connection broke');
    await expect(open().before('r')).rejects.toThrow('broke');
    refusal = undefined;
    expect(await stored()).toMatchObject({ n: 2 });
    await expect(passing(open().before('r'))).rejects.toMatchObject({ code: 'PositionBusy', consequence: 'retry' });
    await clock.advance(60 * second);
    await open().before('r');
    expect([marks, (await stored())?.n]).toEqual([[1, 2, 3], 3]);
  });

  it('when AWS rejects the mark, and the next process does not wait for the lease', async () => {
    refusal = Object.assign(new Error('denied'), { outcome: 'refused' });
    await expect(open().before('r')).rejects.toThrow('denied');
    await expect(open().before('r')).rejects.toThrow('denied');
    refusal = undefined;
    await open().before('r');
    expect((await stored())?.n).toBe(mark?.position);
  });

  it('and neither freezes nor thaws, while the mark is unreadable', async () => {
    const frozen = open();
    await open().before('r');
    await restore({ ...key, n: 0 });
    const { freeze } = await frozen.check();
    isUnreadable = true;
    const fresh = open();
    for (const process of [fresh, frozen]) {
      await expect(process.before('r')).rejects.toThrow('did not answer');
      await expect(process.check()).rejects.toThrow('did not answer');
      await expect(process.thaw(freeze!.id)).rejects.toThrow('did not answer');
    }
    expect([fresh.freeze, frozen.freeze]).toEqual([undefined, freeze]);
    expect(marks).toEqual([1]);
  });

  it('and nothing is concluded, while the account cannot be searched', async () => {
    isEmpty = true;
    held = () => {
      throw new Error('throttled');
    };
    await expect(open().check()).rejects.toThrow('throttled');
    expect([mark, await stored()]).toEqual([undefined, undefined]);
  });
});

it('does not mistake a stale read of the mark for another account', async () => {
  await restore({ ...key, n: 7, regions: ['r'] });
  mark = { position: 7, regions: ['r'] };
  stale = { position: 5, regions: ['r'] };
  const looking = open().check();
  clock.after(second, () => {
    stale = undefined;
  });
  expect((await passing(looking)).freeze).toBeUndefined();
  mark = { position: 5, regions: ['r'] };
  expect((await passing(open().check())).freeze?.reason).toBe('AccountDiffers');
});

it('does not mistake a stale mark of a slow process for another account, and replaces it', async () => {
  const process = open();
  for (let acts = 0; acts < 3; acts++) {
    await process.before('r');
    await clock.advance(11 * second);
  }
  furthest = mark;
  mark = { position: 1, regions: ['r'] };
  await passing(process.before('r'));
  expect([process.freeze, mark?.position, (await stored())?.n]).toEqual([undefined, 4, 4]);
});
