import { expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import { patchOf, wayBack } from './fields.ts';

it.each([
  { rule: 'an existing field', object: { spec: { a: 1 } }, path: ['spec', 'a'] },
  { rule: 'a missing field', object: { spec: { b: 1 } }, path: ['spec', 'a'] },
  { rule: 'missing parents', object: { spec: { b: 1 } }, path: ['spec', 'a', 'deep', 'field'] },
  { rule: 'a missing parent list', object: { spec: {} }, path: ['spec', 'list', '*', 'field'] },
  { rule: 'the first element of an empty list', object: { spec: { list: [] } }, path: ['spec', 'list', '*', 'field'] },
  {
    rule: 'a field of the first element',
    object: { spec: { list: [{ a: 1 }, { b: 2 }] } },
    path: ['spec', 'list', '*', 'b'],
  },
  {
    rule: 'a field of a part of the first element',
    object: { spec: { list: [{ a: { b: 1, c: 2 } }] } },
    path: ['spec', 'list', '*', 'a', 'b'],
  },
  { rule: 'an element', object: { spec: { list: ['one', 'two'] } }, path: ['spec', 'list', '*'] },
  { rule: 'a key of a map', object: { spec: { map: {} } }, path: ['spec', 'map', '*', 'field'] },
  { rule: 'the value of a key', object: { spec: { map: { some: 'one' } } }, path: ['spec', 'map', '*'] },
  {
    rule: 'the value of one of several keys',
    object: { spec: { map: { one: 1, two: 2 } } },
    path: ['spec', 'map', '*'],
  },
])('restores $rule', ({ object, path }) => {
  const back = wayBack(object, path);
  const changed = mergePatch(object, patchOf(object, path, 'changed'));
  expect(changed).not.toEqual(object);
  expect(mergePatch(changed, patchOf(changed, back.path, back.value))).toEqual(object);
  const without = mergePatch(object, patchOf(object, path, null));
  expect(mergePatch(without, patchOf(without, back.path, back.value))).toEqual(object);
});

it('removes the first element of a list', () => {
  expect(patchOf({ list: [{ a: 1 }, { b: 2 }] }, ['list', '*'], null)).toEqual({ list: [{ b: 2 }] });
});
