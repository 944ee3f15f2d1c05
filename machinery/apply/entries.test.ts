import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../api/object.ts';
import { fieldElement, pathText } from './element.ts';
import { decodeEntries, encodeEntries, isReset, withoutNewTimes } from './entries.ts';
import { decodeFields, encodeFields, pathsOf } from './field-set.ts';
import { entriesAfterScale, scaleEntries } from './scale.ts';

const entry = (manager: string, fieldsV1: JsonObject, rest: JsonObject = {}): JsonObject => ({
  manager,
  operation: 'Update',
  apiVersion: 'it/v1',
  time: '2001-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...rest,
});

describe('FieldsV1', () => {
  it('has fields, keys, values and indexes in this order, and the node itself first', () => {
    const fields = {
      'i:10': {},
      'i:9': {},
      'v:"b"': {},
      'v:true': {},
      'v:2': {},
      'k:{"b":1,"a":"x"}': {},
      'k:{"a":"x"}': { 'f:v': {}, '.': {} },
      'f:z': {},
      'f:\u{1f600}': {},
      'f:\ue000': {},
      'f:B': {},
    };
    expect(Object.keys(encodeFields(decodeFields(fields)))).toEqual([
      'f:B',
      'f:z',
      'f:\ue000',
      'f:\u{1f600}',
      'k:{"a":"x"}',
      'k:{"a":"x","b":1}',
      'v:2',
      'v:"b"',
      'v:true',
      'i:9',
      'i:10',
    ]);
  });

  it.each([
    { text: 'k:{"port":1,"protocol":"T\\"P"}', path: '[port=1,protocol="T\\"P"]' },
    { text: 'v:"\\u0007<é\\ue000"', path: '[="\\a<é\\ue000"]' },
    { text: 'v:1234567', path: '[=1.234567e+06]' },
    { text: 'v:0.00001', path: '[=1e-05]' },
    { text: 'v:null', path: '[=null]' },
    { text: 'i:3', path: '[3]' },
  ])('$text is printed as $path', ({ text, path }) => {
    expect(pathsOf(decodeFields({ [text]: {} })).map(pathText)).toEqual([path]);
  });

  it.each(['q', 'ab', 'v:{', 'k:1', 'i:x'])('%s cannot be read', (text) => {
    expect(() => decodeFields({ [text]: {} })).toThrow();
  });

  it('elements of later versions are left out', () => {
    expect(encodeFields(decodeFields({ 'x:y': {}, 'f:a': { 'x:y': {} } }))).toEqual({ 'f:a': {} });
  });

  it('may be as deep as a body', () => {
    let fields: JsonObject = {};
    for (let i = 0; i < 500; i++) fields = { 'f:a': fields };
    expect(encodeFields(decodeFields(fields))).toEqual(fields);
  });
});

describe('entries', () => {
  it('come by operation, time, manager, version and subresource', () => {
    const entries = [
      entry('b', { 'f:a': {} }),
      entry('a', { 'f:a': {} }, { subresource: 'status' }),
      entry('a', { 'f:a': {} }),
      entry('a', { 'f:a': {} }, { apiVersion: 'it/v0' }),
      entry('c', { 'f:a': {} }, { time: '2000-01-01T00:00:00Z' }),
      entry('z', { 'f:a': {} }, { operation: 'Apply' }),
      entry('y', { 'f:a': {} }, { operation: 'Apply', time: null }),
    ];
    const names = encodeEntries(decodeEntries(entries))!.map(
      ({ manager, apiVersion, subresource }) => `${manager} ${apiVersion} ${subresource ?? ''}`,
    );
    expect(names).toEqual(['y it/v1 ', 'z it/v1 ', 'c it/v1 ', 'a it/v0 ', 'a it/v1 ', 'a it/v1 status', 'b it/v1 ']);
  });

  it.each([
    { entries: [entry('a', {}, { operation: 'Patch' })], why: 'operation must be `Apply` or `Update`' },
    { entries: [entry('a', {}, { apiVersion: '' })], why: 'apiVersion must not be empty' },
    { entries: [entry('a', {}, { fieldsType: '' })], why: 'missing fieldsType in managed fields entry 0' },
    { entries: [entry('a', {}, { fieldsType: 'V2' })], why: 'invalid fieldsType "V2" in managed fields entry 0' },
    { entries: [entry('a', { 'f:a': 1 })], why: /^error decoding versioned set from/ },
    { entries: [entry('a', {}, { time: 'soon' })], why: 'invalid time' },
    { entries: [entry('a', {}, { manager: 1 })], why: 'invalid manager' },
    { entries: 'x', why: 'invalid managedFields' },
  ])('$why', ({ entries, why }) => {
    expect(() => decodeEntries(entries)).toThrow(why);
  });

  it.each([
    [[], true],
    [[{}], true],
    [[{}, {}], false],
    [[entry('a', {})], false],
    [undefined, false],
  ])('%j clears: %s', (entries, clears) => {
    expect(isReset(entries)).toBe(clears);
  });
});

describe('times', () => {
  const object = (time: string, spec: string, manager = 'a'): KubeObject => ({
    apiVersion: 'it/v1',
    kind: 'It',
    metadata: { name: 'it', managedFields: [entry(manager, { 'f:spec': {} }, { time })] },
    spec,
  });
  const [before, after] = ['2001-01-01T00:00:00Z', '2001-01-01T00:00:01Z'];

  it.each([
    { rule: 'stay when nothing else differs', next: object(after, 'x'), time: before },
    { rule: 'are new when the object differs', next: object(after, 'y'), time: after },
    { rule: 'are new when owners differ', next: object(after, 'x', 'b'), time: after },
  ])('$rule', ({ next, time }) => {
    const [first] = withoutNewTimes(next, object(before, 'x')).metadata.managedFields as JsonObject[];
    expect(first!.time).toBe(time);
  });
});

describe('owners of replicas', () => {
  const path = [fieldElement('spec'), fieldElement('replicas')];
  const replicasAt = (apiVersion: string) => ({ 'it/v1': path, 'it/v0': null })[apiVersion];
  const both = { 'f:spec': { 'f:a': {}, 'f:replicas': {} } };
  const only = { 'f:spec': { 'f:replicas': {} } };
  const parents = [
    entry('a', both, { operation: 'Apply' }),
    entry('gone', both, { apiVersion: 'it/v9' }),
    entry('other', { 'f:spec': { 'f:a': {} } }),
    entry('unscaled', both, { apiVersion: 'it/v0' }),
  ];

  it('are those of the scale', () => {
    const own = entry('a', only, { operation: 'Apply', apiVersion: 'autoscaling/v1' });
    expect(scaleEntries(parents, replicasAt)).toEqual([own]);
  });

  it('lose them to the writer of the scale', () => {
    const written = [entry('hpa', only, { apiVersion: 'autoscaling/v1', subresource: 'scale' })];
    const { time: _, ...taken } = entry('hpa', only, { subresource: 'scale' });
    expect(entriesAfterScale(parents, written, 'it/v1', replicasAt)).toEqual([
      entry('a', { 'f:spec': { 'f:a': {} } }, { operation: 'Apply' }),
      taken,
      entry('other', { 'f:spec': { 'f:a': {} } }),
      entry('unscaled', both, { apiVersion: 'it/v0' }),
    ]);
  });

  it('keep them when the scale is theirs still', () => {
    const written = [entry('a', only, { operation: 'Apply', apiVersion: 'autoscaling/v1' })];
    expect(entriesAfterScale(parents.slice(0, 1), written, 'it/v1', replicasAt)).toEqual(parents.slice(0, 1));
  });
});
