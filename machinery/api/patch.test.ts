import { describe, expect, it } from 'vitest';
import { jsonPatch, strategicMergePatch } from './patch.ts';
import type { JsonSchema } from './schema.ts';

describe('jsonPatch', () => {
  const document = { a: { b: [1, 2] }, c: 'x' };
  it.each([
    { rule: 'adds a field', patch: [{ op: 'add', path: '/d', value: 1 }], is: { ...document, d: 1 } },
    {
      rule: 'inserts into a list',
      patch: [{ op: 'add', path: '/a/b/0', value: 0 }],
      is: { a: { b: [0, 1, 2] }, c: 'x' },
    },
    {
      rule: 'appends to a list',
      patch: [{ op: 'add', path: '/a/b/-', value: 3 }],
      is: { a: { b: [1, 2, 3] }, c: 'x' },
    },
    {
      rule: 'counts a negative index from the end when it adds',
      patch: [
        { op: 'add', path: '/a/b/-1', value: 3 },
        { op: 'add', path: '/a/b/-4', value: 0 },
      ],
      is: { a: { b: [0, 1, 2, 3] }, c: 'x' },
    },
    {
      rule: 'counts a negative index from the end when it removes',
      patch: [
        { op: 'replace', path: '/a/b/-2', value: 0 },
        { op: 'remove', path: '/a/b/-1' },
      ],
      is: { a: { b: [0] }, c: 'x' },
    },
    { rule: 'removes a list item', patch: [{ op: 'remove', path: '/a/b/0' }], is: { a: { b: [2] }, c: 'x' } },
    { rule: 'moves a field', patch: [{ op: 'move', from: '/c', path: '/d' }], is: { a: { b: [1, 2] }, d: 'x' } },
    { rule: 'copies a field', patch: [{ op: 'copy', from: '/a/b', path: '/e' }], is: { ...document, e: [1, 2] } },
    {
      rule: 'replaces a missing field',
      patch: [{ op: 'replace', path: '/d', value: 1 }],
      is: { ...document, d: 1 },
    },
    {
      rule: 'copies a missing field as null',
      patch: [{ op: 'copy', from: '/z', path: '/d' }],
      is: { ...document, d: null },
    },
    { rule: 'adds null without a value', patch: [{ op: 'add', path: '/d' }], is: { ...document, d: null } },
    { rule: 'replaces the document', patch: [{ op: 'replace', path: '', value: { d: 1 } }], is: { d: 1 } },
    { rule: 'continues after a successful test', patch: [{ op: 'test', path: '/c', value: 'x' }], is: document },
    {
      rule: 'treats a missing field as null in a test',
      patch: [{ op: 'test', path: '/z', value: null }],
      is: document,
    },
    { rule: 'unescapes the path', patch: [{ op: 'add', path: '/x~1y~0z', value: 1 }], is: { ...document, 'x/y~z': 1 } },
  ])('$rule', ({ patch, is }) => {
    expect(jsonPatch(document, patch)).toEqual(is);
    expect(document).toEqual({ a: { b: [1, 2] }, c: 'x' });
  });

  it.each([
    { rule: 'a test that fails', patch: [{ op: 'test', path: '/c', value: 'y' }] },
    { rule: 'removing a missing field', patch: [{ op: 'remove', path: '/z' }] },
    { rule: 'replacing a missing list item', patch: [{ op: 'replace', path: '/a/b/2', value: 1 }] },
    { rule: 'a test of a missing list item', patch: [{ op: 'test', path: '/a/b/2', value: null }] },
    { rule: 'a test inside a missing field', patch: [{ op: 'test', path: '/z/z', value: null }] },
    { rule: 'moving a missing field', patch: [{ op: 'move', from: '/z', path: '/d' }] },
    { rule: 'adding the document root', patch: [{ op: 'add', path: '', value: {} }] },
    { rule: 'removing the document root', patch: [{ op: 'remove', path: '' }] },
    { rule: 'an index beyond the end', patch: [{ op: 'add', path: '/a/b/9', value: 1 }] },
    { rule: 'an unknown operation', patch: [{ op: 'frob', path: '/c' }] },
    { rule: 'a path into a prototype', patch: [{ op: 'add', path: '/__proto__/polluted', value: 1 }] },
    { rule: 'a path into a constructor', patch: [{ op: 'add', path: '/constructor/prototype/x', value: 1 }] },
  ])('refuses $rule with 422', ({ patch }) => {
    expect(() => jsonPatch(document, patch)).toThrow(expect.objectContaining({ code: 422 }));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('refuses a patch that is not a list with 400, and one that is too long with 413', () => {
    expect(() => jsonPatch(document, { op: 'add' })).toThrow(expect.objectContaining({ code: 400 }));
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/c', value: 'x' }));
    expect(() => jsonPatch(document, many)).toThrow(expect.objectContaining({ code: 413 }));
  });
});

describe('strategicMergePatch', () => {
  const merged = { 'x-kubernetes-patch-strategy': 'merge' };
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      data: { type: 'object', additionalProperties: { type: 'string' } },
      names: { type: 'array', items: { type: 'string' }, ...merged },
      owners: {
        type: 'array',
        ...merged,
        'x-kubernetes-patch-merge-key': 'uid',
        items: { type: 'object', properties: { uid: { type: 'string' } } },
      },
      plain: { type: 'array', items: { type: 'string' } },
    },
  };
  const target = {
    data: { a: '1', b: '2' },
    names: ['x', 'y'],
    owners: [{ uid: '1', name: 'one' }, { uid: '2' }],
    plain: ['p'],
  };
  it.each([
    { rule: 'merges maps and drops nulls', patch: { data: { a: null, c: '3' } }, is: { data: { b: '2', c: '3' } } },
    { rule: 'replaces a map', patch: { data: { $patch: 'replace', z: '9' } }, is: { data: { z: '9' } } },
    { rule: 'replaces a list without a patch strategy', patch: { plain: ['q'] }, is: { plain: ['q'] } },
    { rule: 'adds to a merged list, new items first', patch: { names: ['z'] }, is: { names: ['z', 'x', 'y'] } },
    {
      rule: 'deletes from a merged list',
      patch: { '$deleteFromPrimitiveList/names': ['x'] },
      is: { names: ['y'] },
    },
    {
      rule: 'merges items by their key',
      patch: { owners: [{ uid: '2', name: 'two' }] },
      is: {
        owners: [
          { uid: '1', name: 'one' },
          { uid: '2', name: 'two' },
        ],
      },
    },
    {
      rule: 'deletes items by their key',
      patch: { owners: [{ $patch: 'delete', uid: '1' }] },
      is: { owners: [{ uid: '2' }] },
    },
    {
      rule: 'deletes from a merged list and replaces the rest',
      patch: { owners: [{ uid: '3' }, { uid: '1', $patch: 'delete' }, { $patch: 'replace' }] },
      is: { owners: [{ uid: '3' }] },
    },
    {
      rule: 'orders items by the setElementOrder directive',
      patch: { '$setElementOrder/owners': [{ uid: '2' }, { uid: '1' }] },
      is: { owners: [{ uid: '2' }, { uid: '1', name: 'one' }] },
    },
    {
      rule: 'keeps only the fields in retainKeys',
      patch: { data: { $retainKeys: ['b'], b: '5' } },
      is: { data: { b: '5' } },
    },
  ])('$rule', ({ patch, is }) => expect(strategicMergePatch(target, patch, schema)).toEqual({ ...target, ...is }));
});
