import { describe, expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createLedger, missingIn, windowOf } from './ledger.ts';

describe('the ledger sweep', () => {
  it.each([
    { rule: 'starts at the end of the log', cursor: undefined, end: 9, after: 9, to: 9, next: { checked: 9, seen: 9 } },
    {
      rule: 'leaves new positions to the stream',
      cursor: { checked: 9, seen: 9 },
      end: 12,
      after: 9,
      to: 9,
      next: { checked: 9, seen: 12 },
    },
    {
      rule: 'checks the positions that the previous sweep saw',
      cursor: { checked: 9, seen: 12 },
      end: 15,
      after: 9,
      to: 12,
      next: { checked: 12, seen: 15 },
    },
    {
      rule: 'writes nothing while the log does not change',
      cursor: { checked: 15, seen: 15 },
      end: 15,
      after: 15,
      to: 15,
      next: undefined,
    },
  ])('$rule', ({ cursor, end, after, to, next }) => {
    expect(windowOf(cursor, end)).toEqual({ after, to, next });
  });
});

it('finds the positions that were not recorded', () => {
  expect(missingIn(5, 9, new Set([6, 8]))).toEqual([7, 9]);
  expect(missingIn(9, 9, new Set())).toEqual([]);
});

it('stores recorded positions per type, in any order and more than once', async () => {
  const clock = virtualClock(0);
  const ledger = createLedger({ table: memoryTable({ clock }), clock });
  const noted = [1_795_000_000_099, 1_795_000_000_100, 1_795_000_000_350];
  await ledger.note(noted.map((position) => ({ type: 'a', position })).reverse());
  await ledger.note([{ type: 'a', position: 1_795_000_000_101 }]);
  await ledger.note([{ type: 'a', position: 1_795_000_000_099 }]);
  expect(await ledger.missing('a', 1_795_000_000_097, 1_795_000_000_102)).toEqual([
    1_795_000_000_098, 1_795_000_000_102,
  ]);
  expect(await ledger.missing('b', 1_795_000_000_098, 1_795_000_000_100)).toEqual([
    1_795_000_000_099, 1_795_000_000_100,
  ]);
  expect(await ledger.missing('a', 5, 5)).toEqual([]);
});
