import { describe, expect, it } from 'vitest';
import { equal, sharing } from './merge.ts';

describe('sharing', () => {
  const condition = { type: 'Ready', status: 'True' };
  const before = { replicas: 1, conditions: [condition, { type: 'Available', status: 'False' }], node: { name: 'a' } };

  it('answers what was there when nothing is new, whatever the order of fields', () => {
    const { replicas, conditions, node } = structuredClone(before);
    expect(sharing(before, { node, conditions, replicas, gone: undefined })).toBe(before);
  });

  it('takes from there what did not change', () => {
    const after = structuredClone(before);
    after.conditions[1]!.status = 'True';
    const shared = sharing(before, after);
    expect(shared).toEqual(after);
    expect(shared.conditions[0]).toBe(condition);
    expect(shared.node).toBe(before.node);
  });

  it.each([
    ['a field that is left out', { a: 1, b: 2 }, { a: 1 }],
    ['a field that is added', { a: 1 }, { a: 1, b: 2 }],
    ['a field instead of another', { a: 1, b: undefined }, { a: 1, c: undefined, d: 1 }],
    ['a shorter list', [1, 2], [1]],
    ['a longer list', [1], [1, 2]],
    ['a list instead of an object', { 0: 1 }, [1]],
    ['an object instead of a list', [1], { 0: 1 }],
    ['null instead of an object', { a: {} }, { a: null }],
    ['what every object inherits', {}, { constructor: {} }],
    ['a field called __proto__', {}, JSON.parse('{"__proto__":{"a":1}}')],
    ['nothing before', undefined, { a: [1] }],
  ])('is what it was given: %s', (_, was, is) => {
    expect(equal(sharing(was, is), is)).toBe(true);
    expect(sharing(was, is)).not.toBe(was);
  });
});
