import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../machinery/ports.ts';
import { Expression } from './expression.ts';

/** The expression with its placeholders replaced, for readability. */
const spelled = (text: string, { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }) =>
  text.replaceAll(/[#:]\w+/g, (placeholder) =>
    placeholder.startsWith('#')
      ? (names as Record<string, string>)[placeholder]!
      : JSON.stringify((values as Record<string, unknown>)[placeholder]),
  );
const condition = (given: Condition) => {
  const expression = new Expression();
  return spelled(expression.condition(given), expression.placeholders());
};

describe('a condition', () => {
  it.each<{ given: Condition; is: string }>([
    { given: { exists: true }, is: 'attribute_exists(pk)' },
    { given: { exists: false }, is: 'attribute_not_exists(pk)' },
    { given: { attribute: 'n', is: 'present' }, is: 'attribute_exists(n)' },
    { given: { attribute: 'n', is: 'absent' }, is: 'attribute_not_exists(n)' },
    { given: { attribute: 'n', is: '=', value: 'x' }, is: 'n = {"S":"x"}' },
    { given: { attribute: 'n', is: '<=', value: 5 }, is: 'n <= {"N":"5"}' },
    {
      given: { all: [{ exists: true }, { any: [{ attribute: 'a', is: '>', value: 1 }, { exists: false }] }] },
      is: '(attribute_exists(pk)) AND ((a > {"N":"1"}) OR (attribute_not_exists(pk)))',
    },
    { given: { all: [] }, is: '(attribute_exists(pk)) OR (attribute_not_exists(pk))' },
    { given: { any: [] }, is: '(attribute_exists(pk)) AND (attribute_not_exists(pk))' },
  ])('is $is', ({ given, is }) => expect(condition(given)).toBe(is));
});

describe('an update', () => {
  it.each<{ given: Parameters<Expression['update']>[0]; is: string }>([
    { given: { set: { a: 1, b: 'x' } }, is: 'SET a = {"N":"1"}, b = {"S":"x"}' },
    { given: { add: { n: -1 } }, is: 'ADD n {"N":"-1"}' },
    { given: { remove: ['a', 'b'] }, is: 'REMOVE a, b' },
    { given: { set: { a: 1 }, add: { n: 2 }, remove: ['b'] }, is: 'SET a = {"N":"1"} ADD n {"N":"2"} REMOVE b' },
    { given: { set: {}, remove: [] }, is: '' },
    { given: {}, is: '' },
  ])('is "$is"', ({ given, is }) => {
    const expression = new Expression();
    expect(spelled(expression.update(given), expression.placeholders())).toBe(is);
  });
});

it('replaces every attribute name by a placeholder, because many names are reserved', () => {
  const expression = new Expression();
  const text = expression.condition({ attribute: 'ttl', is: '=', value: 'status' });
  expect(text).toBe('#a0 = :v0');
  expect(expression.placeholders()).toEqual({
    ExpressionAttributeNames: { '#a0': 'ttl' },
    ExpressionAttributeValues: { ':v0': { S: 'status' } },
  });
});

it('lists each attribute once and omits empty clauses, as DynamoDB requires', () => {
  const expression = new Expression();
  expect(expression.placeholders()).toEqual({});
  expression.condition({ all: [{ exists: true }, { exists: false }] });
  expect(expression.placeholders()).toEqual({ ExpressionAttributeNames: { '#a0': 'pk' } });
});
