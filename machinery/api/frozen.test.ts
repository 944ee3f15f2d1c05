import { describe, expect, it } from 'vitest';
import { freeze, frozenCopy, openCopy } from './frozen.ts';

const strange = () => JSON.parse('{"__proto__":{"a":1},"constructor":2,"list":[null,{"b":{}}],"text":"x"}') as object;
const read = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe.each([
  { name: 'a frozen copy', copyOf: frozenCopy },
  { name: 'an open copy', copyOf: openCopy },
])('$name', ({ copyOf }) => {
  it.each([
    { rule: 'equals its original', value: { a: [1, { b: 'c' }], d: null, e: false } },
    { rule: 'omits undefined fields', value: { a: undefined, b: { c: undefined } } },
    { rule: 'replaces undefined list items by null', value: { a: [undefined, 1] } },
    { rule: 'keeps unusual field names', value: strange() },
    { rule: 'of a primitive is that primitive', value: 'text' },
  ])('$rule', ({ value }) => {
    expect(JSON.stringify(copyOf(value))).toBe(JSON.stringify(value));
    expect(copyOf(value)).toStrictEqual(read(value));
  });
});

describe('frozen values', () => {
  it('are immutable at any depth', () => {
    const given = { list: [{ deep: 'a' }] };
    for (const value of [frozenCopy(given), freeze({ list: [{ deep: 'a' }] })]) {
      expect(Reflect.set(value, 'list', [])).toBe(false);
      expect(() => value.list.push({ deep: 'b' })).toThrow(TypeError);
      expect(Reflect.set(value.list[0]!, 'deep', 'b')).toBe(false);
    }
    given.list[0]!.deep = 'c';
    expect(Object.isFrozen(given)).toBe(false);
  });

  it('are shared by frozen copies and copied by mutable ones', () => {
    const part = freeze({ deep: ['a'] });
    expect(frozenCopy({ part }).part).toBe(part);
    const open = openCopy({ part });
    open.part.deep.push('b');
    expect(part).toEqual({ deep: ['a'] });
  });
});
