import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, SortedEntries, type SortKey } from './sorted-entries.ts';

const entry = (sk: SortKey, size = 1): Entry => ({ item: { pk: 'p', sk }, size });
const of = ([first, ...others]: readonly SortKey[]) => {
  const sorted = new SortedEntries(entry(first!));
  for (const key of others) sorted.set(entry(key));
  return sorted;
};
const keysOf = (entries: Iterable<Entry>) => [...entries].map(({ item }) => item.sk);
const inOrder = (keys: Iterable<number>) => [...keys].sort((a, b) => a - b);

/** Enough entries for several blocks, in a shuffled order. */
const many = Array.from({ length: 5_003 }, (_, index) => ((index * 1_234) % 5_003) * 2);

describe('sorted entries', () => {
  it('stay in order across inserts and deletes', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(500), { minLength: 1 }), fc.nat(500), fc.boolean(), (keys, from, isFew) => {
        const all = isFew ? keys : [...many, ...keys.map((key) => 2 * key + 1)];
        const gone = new Set(all.filter((key) => key % 3 === 0));
        const sorted = of(all);
        for (const key of gone) sorted.delete(key);
        const left = inOrder(all.filter((key) => !gone.has(key)));
        expect(keysOf(sorted.ascending())).toEqual(left);
        expect(keysOf(sorted.ascending(from))).toEqual(left.filter((key) => key >= from));
        expect(keysOf(sorted.descending())).toEqual(left.toReversed());
        expect(keysOf(sorted.descending(from))).toEqual(left.filter((key) => key <= from).toReversed());
        expect(sorted.first?.item.sk).toBe(left[0]);
      }),
      { numRuns: 40 },
    ));

  it('are found by key, and replace an entry with the same key', () => {
    const sorted = of(many);
    for (const key of many) expect(sorted.get(key)).toEqual(entry(key));
    for (const key of many) expect(sorted.get(key + 1)).toBe(undefined);
    for (const key of many) sorted.set(entry(key, 2));
    for (const key of many) expect(sorted.get(key)).toEqual(entry(key, 2));
    expect(keysOf(sorted.ascending())).toEqual(inOrder(many));
    expect(sorted.get('0')).toBe(undefined);
  });

  it('can be emptied and filled again', () => {
    const sorted = of(many);
    for (const key of many) sorted.delete(key);
    expect([sorted.first, [...sorted.ascending()], [...sorted.descending(7)]]).toEqual([undefined, [], []]);
    for (const key of many.toReversed()) sorted.set(entry(key));
    expect(keysOf(sorted.ascending())).toEqual(inOrder(many));
  });

  it('accept text keys', () => {
    const sorted = of(['b', 'ba', 'a', 'c']);
    expect(keysOf(sorted.ascending('b'))).toEqual(['b', 'ba', 'c']);
    expect(keysOf(sorted.descending('bb'))).toEqual(['ba', 'b', 'a']);
  });
});
