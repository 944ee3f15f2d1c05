import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import { filledAnnotation, filledNote, filledOf, givenPatch, givenSpec, keepingFilled } from './filled.ts';

const object = (spec: JsonObject, note?: string | null): Pick<KubeObject, 'metadata' | 'spec'> => ({
  metadata: { name: 'a', ...(note && { annotations: { [filledAnnotation]: note } }) },
  spec,
});

const cases: { name: string; given: JsonObject; written: JsonObject; filled: JsonObject }[] = [
  { name: 'a field', given: {}, written: { a: 1 }, filled: { a: 1 } },
  { name: 'a nested field', given: { a: { b: 1 } }, written: { a: { b: 1, c: 2 } }, filled: { a: { c: 2 } } },
  { name: 'a whole list', given: {}, written: { subnets: [{ id: 'x' }] }, filled: { subnets: [{ id: 'x' }] } },
  {
    name: 'a field of an item',
    given: { subnets: [{ id: 'x' }, { id: 'y' }] },
    written: { subnets: [{ id: 'x' }, { id: 'y', resourceID: 'subnet-1' }] },
    filled: { subnets: [null, { resourceID: 'subnet-1' }] },
  },
  {
    name: 'an item behind the given ones',
    given: { subnets: [{ id: 'x' }] },
    written: { subnets: [{ id: 'x' }, { id: 'y' }] },
    filled: { subnets: [null, { id: 'y' }] },
  },
  {
    name: 'fields of what is asked for by an empty object',
    given: { vpc: { ipv6: {} } },
    written: { vpc: { ipv6: { cidrBlock: '2001:db8::/56' }, id: 'vpc-1' } },
    filled: { vpc: { ipv6: { cidrBlock: '2001:db8::/56', '': null }, id: 'vpc-1' } },
  },
  { name: 'nothing', given: { a: 1 }, written: { a: 1 }, filled: {} },
  { name: 'an empty list', given: {}, written: { a: [] }, filled: { a: [] } },
];

describe('a defaulted field', () => {
  it.each(cases)('is recorded and can be removed again: $name', ({ given, written, filled }) => {
    const note = filledNote(object(given), written);
    expect(filledOf(object(written, note))).toEqual(filled);
    expect(givenSpec(object(written, note))).toEqual(given);
    const restored = mergePatch(object(written, note), givenPatch(object(written, note)));
    expect(restored.spec).toEqual(given);
    expect(restored.metadata.annotations?.[filledAnnotation]).toBeUndefined();
  });
  it('stays recorded when more fields are defaulted', () => {
    const first = filledNote(object({ a: { b: 1 } }), { a: { b: 1, c: 2 } });
    const second = filledNote(object({ a: { b: 1, c: 2 } }, first), { a: { b: 1, c: 2, d: 3 } });
    expect(givenSpec(object({ a: { b: 1, c: 2, d: 3 } }, second))).toEqual({ a: { b: 1 } });
  });
  it('becomes the user’s when the user changes it', () => {
    const note = filledNote(object({}), { a: 1 });
    expect(givenSpec(object({ a: 2 }, note))).toEqual({ a: 2 });
  });
  const [x, y] = [
    { id: 'x', resourceID: 'subnet-1' },
    { id: 'y', resourceID: 'subnet-2' },
  ];
  it.each([
    { name: 'that stands behind a new one', now: [{ id: 'new' }, x, y], given: ['new', 'x', 'y'] },
    { name: 'that has changed places', now: [y, x], given: ['y', 'x'] },
    { name: 'whose predecessor is gone', now: [y], given: ['y'] },
  ])('is removed from a list item $name', ({ now, given }) => {
    const note = filledNote(object({ subnets: [{ id: 'x' }, { id: 'y' }] }), { subnets: [x, y] });
    expect(givenSpec(object({ subnets: now }, note))).toEqual({ subnets: given.map((id) => ({ id })) });
  });
  it('excludes what the user added later', () => {
    const z = { id: 'z', resourceID: 'subnet-3' };
    const first = filledNote(object({}), { subnets: [x, y] });
    const second = filledNote(object({ subnets: [x, y, { id: 'z' }] }, first), { subnets: [x, y, z] });
    expect(givenSpec(object({ subnets: [x, y, z] }, second))).toEqual({ subnets: [{ id: 'z' }] });
  });
  it('is not removed from a list item that the user wrote identically', () => {
    const filled = {
      subnets: [
        { id: 'x', zone: 'a' },
        { id: 'y', zone: 'a' },
      ],
    };
    const note = filledNote(object({ subnets: [{ id: 'x', zone: 'a' }, { id: 'y' }] }), filled);
    expect(givenSpec(object(filled, note))).toEqual({ subnets: [{ id: 'x', zone: 'a' }, { id: 'y' }] });
  });
  it('is ignored when the record is invalid', () => {
    for (const note of ['{', '[]', '1', 'null']) expect(filledOf(object({}, note))).toEqual({});
  });
});

describe('a filled field that a client leaves out', () => {
  const endpoint = { host: 'a', port: 6443 };
  const stored = { apiVersion: 'v1', kind: 'A', ...object({ endpoint }, JSON.stringify({ endpoint })) } as KubeObject;
  const admission = { operation: 'update', old: stored, user: { username: 'a', groups: [] }, dryRun: false } as const;
  const keeping = (sent: KubeObject, more = {}) =>
    keepingFilled(sent, { ...admission, user: { username: 'a', groups: [] }, ...more }, 'endpoint').spec;
  it('is kept', () => {
    expect(keeping({ ...stored, spec: { other: 1 } })).toEqual({ other: 1, endpoint });
  });
  it('goes when a controller removes it, with or without its record', () => {
    expect(keeping({ ...stored, spec: {} }, { byController: true })).toEqual({});
    expect(keeping({ ...stored, metadata: { name: 'a' }, spec: {} })).toEqual({});
  });
  it('goes when the user gave it', () => {
    const given = { ...stored, metadata: { name: 'a' } };
    expect(keeping({ ...given, spec: {} }, { old: given })).toEqual({});
  });
});

describe('zero values', () => {
  it('count as absent when a controller fills them in', () => {
    const filled = { host: 'a', port: 6443 };
    const note = filledNote(object({ endpoint: { host: '', port: 0 } }), { endpoint: filled });
    expect(filledOf(object({}, note))).toEqual({ endpoint: filled });
    expect(givenSpec(object({ endpoint: filled }, note))).toEqual({});
  });
});
