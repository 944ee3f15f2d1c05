import { describe, expect, it } from 'vitest';
import { equal, mergePatch, mergePatchOf, sharing } from './merge.ts';

describe('structural sharing', () => {
  const condition = { type: 'Ready', status: 'True' };
  const before = { replicas: 1, conditions: [condition, { type: 'Available', status: 'False' }], node: { name: 'a' } };

  it('returns the old value when nothing changed, whatever the order of fields', () => {
    const { replicas, conditions, node } = structuredClone(before);
    expect(sharing(before, { node, conditions, replicas, gone: undefined })).toBe(before);
  });

  it('reuses the unchanged parts of the old value', () => {
    const after = structuredClone(before);
    after.conditions[1]!.status = 'True';
    const shared = sharing(before, after);
    expect(shared).toEqual(after);
    expect(shared.conditions[0]).toBe(condition);
    expect(shared.node).toBe(before.node);
  });

  it.each([
    ['a removed field', { a: 1, b: 2 }, { a: 1 }],
    ['an added field', { a: 1 }, { a: 1, b: 2 }],
    ['a replaced field', { a: 1, b: undefined }, { a: 1, c: undefined, d: 1 }],
    ['a shorter list', [1, 2], [1]],
    ['a longer list', [1], [1, 2]],
    ['a list instead of an object', { 0: 1 }, [1]],
    ['an object instead of a list', [1], { 0: 1 }],
    ['null instead of an object', { a: {} }, { a: null }],
    ['a field that every JavaScript object inherits', {}, { constructor: {} }],
    ['a field called __proto__', {}, JSON.parse('{"__proto__":{"a":1}}')],
    ['no old value', undefined, { a: [1] }],
  ])('returns the new value: %s', (_, was, is) => {
    expect(equal(sharing(was, is), is)).toBe(true);
    expect(sharing(was, is)).not.toBe(was);
  });
});

it.each([
  ['no change', { a: { b: 1 } }, { a: { b: 1 } }, {}],
  ['an added field', {}, { a: 1 }, { a: 1 }],
  ['a removed field', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['a field set to undefined', { a: 1 }, { a: undefined }, { a: null }],
  ['a removed nested field', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: null, c: 3 } }],
  ['an emptied field', { a: { b: 1 } }, { a: {} }, { a: { b: null } }],
  ['a changed list, which is replaced as a whole', { a: [1, 2] }, { a: [2] }, { a: [2] }],
  ['an object instead of a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['a field called __proto__', {}, JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
])('the merge patch contains %s', (_, from, to, patch) => {
  expect(mergePatchOf(from, to)).toEqual(patch);
  expect(equal(mergePatch(from, mergePatchOf(from, to)), to)).toBe(true);
});
