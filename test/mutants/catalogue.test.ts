import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from './catalogue.ts';
import { mutated } from './mutant.ts';

describe('mutants', () => {
  it.each(mutants)('$name', ({ file, suites, ...change }) => {
    expect(mutated(change, readFileSync(file, 'utf8')), `${change.find} stands in ${file} once`).toBeDefined();
    for (const suite of suites)
      expect(globSync([`${suite}*.test.ts`, `${suite}{,/**}/*.test.ts`]), suite).not.toEqual([]);
  });

  it('are told apart by their names', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each([
    ['what is absent', 'a', 'x', undefined],
    ['what stands twice', 'b', 'abab', undefined],
    ['what stands once', 'b', 'abc', 'aBc'],
  ])('change %s as they must', (_, find, source, expected) => {
    expect(mutated({ find, replace: 'B' }, source)).toBe(expected);
  });
});
