import { describe, expect, it } from 'vitest';
import { lately, latelyOfTwo, whileHeld } from './lately.ts';

describe('an answer that was made lately', () => {
  it('is not made again, until so many others were', () => {
    const made: string[] = [];
    const answer = lately(2, (key) => made.push(key));
    expect(['a', 'b', 'a', 'c', 'b', 'a'].map(answer)).toEqual([1, 2, 1, 3, 2, 4]);
    expect(made).toEqual(['a', 'b', 'c', 'a']);
  });

  it('belongs to both of two texts, in their order', () => {
    const made: string[][] = [];
    const answer = latelyOfTwo(2, (first, second) => made.push([first, second]));
    const pairs = [
      ['a', 'b'],
      ['b', 'a'],
      ['ab', ''],
      ['a', 'b'],
    ] as const;
    expect(pairs.map(([first, second]) => answer(first, second))).toEqual([1, 2, 3, 4]);
    expect(answer('ab', '')).toBe(3);
  });

  it('of an object is made once, unless somebody may still change it', () => {
    let made = 0;
    const answer = whileHeld((_: object) => ++made);
    const [open, frozen] = [{}, Object.freeze({})];
    expect([open, open, frozen, frozen, Object.freeze({}), frozen].map(answer)).toEqual([1, 2, 3, 3, 4, 3]);
  });
});
