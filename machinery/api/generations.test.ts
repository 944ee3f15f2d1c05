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

describe('the cache of recently used values', () => {
  it.each<{ rule: string; held: Parameters<typeof holding>; knows: string }>([
    { rule: 'returns an entry', held: ['abc'], knows: 'abc' },
    { rule: 'keeps entries up to its capacity', held: ['abcdef'], knows: 'abcdef' },
    { rule: 'evicts entries beyond twice its capacity', held: ['abcdefg'], knows: 'defg' },
    { rule: 'counts entries by weight', held: ['abcdefg', 3, 2], knows: 'fg' },
    { rule: 'keeps a single entry above its capacity', held: ['a', 3, 4], knows: 'a' },
  ])('$rule', ({ held, knows }) => expect(known(...held)).toBe(knows));

  it('keeps an entry that is used, whatever else is added', () => {
    const kept = holding('a');
    for (let n = 0; n < 100; n++) {
      kept.keep(`${n}`, '');
      expect(kept.find('a')).toMatchObject({ value: 'a!' });
    }
  });

  it('returns the latest value, and nothing once it is forgotten', () => {
    const kept = holding('abcd');
    for (const name of 'ad') {
      kept.keep(name, 'new');
      expect(kept.find(name)).toMatchObject({ value: 'new' });
      kept.forget(name);
      expect(kept.find(name)).toBeUndefined();
    }
  });

  it('regains the capacity of forgotten entries', () => {
    const kept = holding('abc');
    for (let n = 0; n < 100; n++) {
      kept.keep('d', 'd!');
      kept.forget('d');
    }
    expect(['a', 'b', 'c'].map((name) => kept.find(name)?.value)).toEqual(['a!', 'b!', 'c!']);
  });
});
