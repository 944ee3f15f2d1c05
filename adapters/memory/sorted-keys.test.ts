import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedKeys, type SortKey } from './sorted-keys.ts';

const of = (keys: Iterable<SortKey>) => {
  const sorted = new SortedKeys();
  for (const key of keys) sorted.add(key);
  return sorted;
};
const inOrder = (keys: Iterable<number>) => [...keys].sort((a, b) => a - b);

/** A number of them that needs several blocks, in an order that looks random. */
const many = Array.from({ length: 5_003 }, (_, index) => ((index * 1_234) % 5_003) * 2);

describe('sorted keys', () => {
  it('are in order, whatever the order in which they came and others went', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(500)), fc.nat(500), fc.boolean(), (keys, from, isFew) => {
        const all = isFew ? keys : [...many, ...keys.map((key) => 2 * key + 1)];
        const gone = new Set(all.filter((key) => key % 3 === 0));
        const sorted = of(all);
        for (const key of gone) sorted.delete(key);
        const left = inOrder(all.filter((key) => !gone.has(key)));
        expect([...sorted.ascending()]).toEqual(left);
        expect([...sorted.ascending(from)]).toEqual(left.filter((key) => key >= from));
        expect([...sorted.descending()]).toEqual(left.toReversed());
        expect([...sorted.descending(from)]).toEqual(left.filter((key) => key <= from).toReversed());
        expect(sorted.isEmpty).toBe(left.length === 0);
      }),
      { numRuns: 40 },
    ));

  it('may all go, and come again', () => {
    const sorted = of(many);
    for (const key of many) sorted.delete(key);
    expect([sorted.isEmpty, [...sorted.ascending()], [...sorted.descending(7)]]).toEqual([true, [], []]);
    for (const key of many.toReversed()) sorted.add(key);
    expect([...sorted.ascending()]).toEqual(inOrder(many));
  });

  it('are texts as well', () => {
    const sorted = of(['b', 'ba', 'a', 'c']);
    expect([...sorted.ascending('b')]).toEqual(['b', 'ba', 'c']);
    expect([...sorted.descending('bb')]).toEqual(['ba', 'b', 'a']);
  });
});
