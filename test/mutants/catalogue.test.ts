import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from './catalogue.ts';
import { mutated } from './mutant.ts';
import { parse } from './syntax.ts';

describe('mutants', () => {
  it.each(mutants)('$name', (mutant) => {
    const { file, suites } = mutant;
    const broken = mutated(mutant, readFileSync(file, 'utf8'));
    expect(() => (file.endsWith('.json') ? JSON.parse(broken) : parse(broken))).not.toThrow();
    for (const suite of suites)
      expect(globSync([`${suite}*.test.ts`, `${suite}{,/**}/*.test.ts`]), suite).not.toEqual([]);
  });

  it('have unique names', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
