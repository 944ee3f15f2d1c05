import { describe, expect, it } from 'vitest';
import { type CodeMutant, type JsonMutant, mutated } from './mutant.ts';
import { matches, parse } from './syntax.ts';

const source = `
const limit = 3;
export const f = (a: number, b: string) => {
  // A comment in between.
  if (a > limit && b !== 'x') return { a, size: 1, ...rest };
  call(a, [first, second]);
  call(b, []);
  return a - limit + 7;
};
const g = () => ({ a: 1, inner: () => call(b, []) });
`;
const described = { name: 'n', file: 'f.ts', suites: [] };
type Changes = CodeMutant extends infer One
  ? One extends CodeMutant
    ? Omit<One, keyof typeof described>
    : never
  : never;
const change = (how: Changes, text = source) => mutated({ ...described, ...how } as CodeMutant, text);

describe('a mutant', () => {
  it.each<[what: string, how: Changes, was: string, is: string]>([
    ['leaves out a statement', { in: 'f', drop: 'call(b, [])' }, '  call(b, []);\n  return', '  \n  return'],
    [
      'leaves out one that is described in part',
      { in: 'f', drop: "if (a > limit && b !== 'x') _" },
      "if (a > limit && b !== 'x') return { a, size: 1, ...rest };",
      '',
    ],
    ['leaves out a property', { in: 'f', drop: 'size: _' }, ' size: 1,', ''],
    ['leaves out the last property', { in: 'f', drop: '...rest' }, ', ...rest', ''],
    ['leaves out an element', { in: 'f', drop: 'second' }, ', second', ''],
    ['leaves out an operand', { in: 'f', drop: 'a > limit' }, "a > limit && b !== 'x'", "b !== 'x'"],
    ['leaves out one of a sum', { in: 'f', drop: '7' }, 'a - limit + 7', '(a - limit)'],
    [
      'changes a condition',
      { in: 'f', condition: 'a > limit && _', by: 'false' },
      "if (a > limit && b !== 'x')",
      'if (false)',
    ],
    ['changes a literal', { in: 'limit', replace: '3', by: '4' }, 'limit = 3', 'limit = 4'],
    [
      'changes the places of two elements',
      { in: 'f', swap: ['first', 'second'] },
      '[first, second]',
      '[second, first]',
    ],
    ['is found by all declarations around it', { in: 'g.inner', drop: 'b' }, 'call(b, []) })', 'call( []) })'],
  ])('%s', (_, how, was, is) => {
    expect(source.split(was)).toHaveLength(2);
    expect(matches(parse(change(how)), parse(source.replace(was, () => is)))).toBe(true);
  });

  it('does not depend on how the code is written', () => {
    const written = source.replace("a > limit && b !== 'x'", '(a\n    > limit) && // Why.\n    b !== "x"');
    expect(change({ in: 'f', drop: "b !== 'x'" }, written)).toContain('if ((a\n    > limit)) return');
  });

  it.each<[what: string, how: Changes, message: string]>([
    ['missing code', { in: 'f', drop: 'other' }, 'other is not in f of f.ts'],
    ['code of another declaration', { in: 'g', drop: '...rest' }, '...rest is not in g of f.ts'],
    ['ambiguous code', { in: 'f', replace: 'call(_, _)', by: '0' }, 'call(_, _) is more than once in f of f.ts'],
    ['text that is not code', { in: 'f', drop: 'if (' }, 'if ( is no piece of TypeScript'],
    ['nothing', { in: 'limit', replace: '3', by: '3' }, 'n: nothing changes'],
  ])('refuses to change %s', (_, how, message) => {
    expect(() => change(how)).toThrow(message);
  });

  const inJson = (how: Omit<JsonMutant, keyof typeof described>) =>
    mutated({ ...described, ...how }, '{ "a": [{ "b": 1 }] }');
  it('changes an unmodified JSON value', () => {
    expect(JSON.parse(inJson({ at: ['a', '0', 'b'], was: 1, set: 2 }))).toEqual({ a: [{ b: 2 }] });
    expect(() => inJson({ at: ['a', '0', 'b'], was: 2, set: 3 })).toThrow('a.0.b of f.ts is not 2');
    expect(() => inJson({ at: ['x', 'b'], was: 2, set: 3 })).toThrow('x.b of f.ts is not 2');
  });
});
