import { describe, expect, it } from 'vitest';
import { duration, renderTable } from './table.ts';

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [200, '3m20s'],
    [599, '9m59s'],
    [660, '11m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 600, '3h10m'],
    [9 * 3600 + 600, '9h'],
    [50 * 3600, '2d'],
    [-5, '0s'],
  ])('of %i seconds is printed like kubectl does: %s', (seconds, text) => expect(duration(seconds * 1000)).toBe(text));
});

it('a table pads its columns to the widest cell', () => {
  expect(
    renderTable([
      ['A', 'B'],
      ['long', ''],
      ['x', 'y'],
    ]),
  ).toBe('A      B\nlong\nx      y');
});
