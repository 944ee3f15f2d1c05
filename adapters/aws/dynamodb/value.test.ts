import { describe, expect, it } from 'vitest';
import type { Attribute, Item } from '../../../machinery/ports.ts';
import { fromDynamo, keyOf, sortKeyOf, toDynamo, toValue } from './value.ts';

it.each<{ value: Attribute; is: object }>([
  { value: null, is: { NULL: true } },
  { value: '', is: { S: '' } },
  { value: 'x', is: { S: 'x' } },
  { value: 0, is: { N: '0' } },
  { value: -1.5, is: { N: '-1.5' } },
  { value: 1e21, is: { N: '1e+21' } },
  { value: false, is: { BOOL: false } },
  { value: [], is: { L: [] } },
  { value: [1, [null]], is: { L: [{ N: '1' }, { L: [{ NULL: true }] }] } },
  { value: { a: { b: undefined, c: 1 } }, is: { M: { a: { M: { c: { N: '1' } } } } } },
])('$value is $is', ({ value, is }) => expect(toValue(value)).toEqual(is));

it.each<Item>([
  { pk: 'p', sk: 'a' },
  { pk: 'p', sk: '' },
  { pk: 'p', sk: '#7' },
  { pk: 'p', sk: '=a' },
  { pk: 'p', sk: 0 },
  { pk: 'p', sk: Number.MAX_SAFE_INTEGER },
  { pk: 'p', sk: 'a', none: null, yes: true, no: false, n: -0.25, list: ['x', { y: [null] }], map: { é: 'ü' } },
])('%j survives the round trip', (item) => expect(fromDynamo(toDynamo(item))).toStrictEqual(item));

it('returns bytes as bytes', () => {
  const { bytes } = fromDynamo(toDynamo({ pk: 'p', sk: 'a', bytes: Buffer.from([0, 255]) }));
  expect(bytes).toStrictEqual(new Uint8Array([0, 255]));
});

it('refuses a type that the store never writes', () => {
  expect(() => fromDynamo({ pk: { S: 'p' }, sk: { S: '=a' }, set: { SS: ['a'] } })).toThrow('never written');
});

describe('sort keys', () => {
  it('sort numbers by value and text by code unit', () => {
    const sorted = (keys: (string | number)[]) => keys.map(sortKeyOf).sort();
    const numbers = [0, 1, 9, 10, 1000, 1_767_225_600_000, Number.MAX_SAFE_INTEGER];
    expect(sorted([...numbers].reverse())).toEqual(numbers.map(sortKeyOf));
    const texts = ['', 'B', 'a', 'a-1', 'a/1', 'b', 'é'];
    expect(sorted([...texts].reverse())).toEqual(texts.map(sortKeyOf));
  });

  it('never mix numbers and text', () => {
    expect(sortKeyOf('7')).not.toBe(sortKeyOf(7));
    expect(keyOf({ pk: 'p', sk: 7 })).toEqual({ pk: { S: 'p' }, sk: { S: '#0000000000000007' } });
  });
});
