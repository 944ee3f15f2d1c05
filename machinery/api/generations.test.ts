import { describe, expect, it } from 'vitest';
import { Generations } from './generations.ts';

const holding = (names: string, most = 3, weight = 1) => {
  const kept = new Generations<string>(most);
  for (const name of names) kept.keep(name, `${name}!`, weight);
  return kept;
};
/** A lookup counts as a use, so each name is looked up in a fresh cache. */
const known = (...held: Parameters<typeof holding>) =>
  [...held[0]].filter((name) => holding(...held).find(name)?.value === `${name}!`).join('');

describe('what was used lately', () => {
  it.each<{ rule: string; held: Parameters<typeof holding>; knows: string }>([
    { rule: 'is there', held: ['abc'], knows: 'abc' },
    { rule: 'is there while no more than as much came after it', held: ['abcdef'], knows: 'abcdef' },
    { rule: 'is gone when more came than twice as much', held: ['abcdefg'], knows: 'defg' },
    { rule: 'counts by its weight', held: ['abcdefg', 3, 2], knows: 'fg' },
    { rule: 'is there though it weighs more than all may', held: ['a', 3, 4], knows: 'a' },
  ])('$rule', ({ held, knows }) => expect(known(...held)).toBe(knows));

  it('stays, however much else comes, as long as it is used', () => {
    const kept = holding('a');
    for (let n = 0; n < 100; n++) {
      kept.keep(`${n}`, '');
      expect(kept.find('a')).toMatchObject({ value: 'a!' });
    }
  });

  it('is what was said last, and nothing once it is forgotten', () => {
    const kept = holding('abcd');
    for (const name of 'ad') {
      kept.keep(name, 'new');
      expect(kept.find(name)).toMatchObject({ value: 'new' });
      kept.forget(name);
      expect(kept.find(name)).toBeUndefined();
    }
  });

  it('makes room when it is forgotten', () => {
    const kept = holding('abc');
    for (let n = 0; n < 100; n++) {
      kept.keep('d', 'd!');
      kept.forget('d');
    }
    expect(['a', 'b', 'c'].map((name) => kept.find(name)?.value)).toEqual(['a!', 'b!', 'c!']);
  });
});
