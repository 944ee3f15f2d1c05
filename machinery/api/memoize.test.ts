import { describe, expect, it } from 'vitest';
import { memoize, memoizeFrozen, memoizePair } from './memoize.ts';

describe('a memoized result', () => {
  it('is computed once, until too many others were added', () => {
    const made: string[] = [];
    const answer = memoize(2, (key) => made.push(key));
    expect(['a', 'b', 'a', 'c', 'b', 'd', 'e', 'a'].map(answer)).toEqual([1, 2, 1, 3, 2, 4, 5, 6]);
    expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
  });

  it('may be undefined', () => {
    let made = 0;
    const answer = memoize(2, () => void made++);
    expect(['a', 'a'].map(answer)).toEqual([undefined, undefined]);
    expect(made).toBe(1);
  });

  it('depends on both keys, in order', () => {
    const made: string[][] = [];
    const answer = memoizePair(2, (first, second) => made.push([first, second]));
    const pairs = [
      ['a', 'b'],
      ['b', 'a'],
      ['ab', ''],
      ['a', 'b'],
    ] as const;
    expect(pairs.map(([first, second]) => answer(first, second))).toEqual([1, 2, 3, 1]);
    expect(answer('ab', '')).toBe(3);
  });

  it('of an object is computed once, unless the object is mutable', () => {
    let made = 0;
    const answer = memoizeFrozen((_: object) => ++made);
    const [open, frozen] = [{}, Object.freeze({})];
    expect([open, open, frozen, frozen, Object.freeze({}), frozen].map(answer)).toEqual([1, 2, 3, 3, 4, 3]);
  });
});
