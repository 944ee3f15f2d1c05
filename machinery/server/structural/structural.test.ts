import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../api/errors.ts';
import { openCopy } from '../../api/frozen.ts';
import { equal } from '../../api/merge.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { applyDefaults } from './default.ts';
import { pruneUnknown } from './prune.ts';
import { isSound } from './sound.ts';
import { validateStructure } from './validate.ts';

const of = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const faults = (value: unknown, schema: JsonSchema, old?: unknown) =>
  validateStructure(value, schema, old).map((error) => `${error.field}: ${fieldMessage(error)}`);

describe('pruneUnknown', () => {
  it('drops unknown fields and returns their paths', () => {
    const object = { kind: 'X', metadata: { any: 1 }, spec: { a: 1, z: 2, list: [{ b: 1, c: 2 }] }, more: 1 };
    const schema = of({ spec: of({ a: {}, list: { type: 'array', items: of({ b: {} }) } }) });
    expect(pruneUnknown(object, schema)).toEqual(['spec.z', 'spec.list[0].c', 'more']);
    expect(object).toEqual({ kind: 'X', metadata: { any: 1 }, spec: { a: 1, list: [{ b: 1 }] } });
  });

  it('keeps free-form parts, and prunes their specified fields', () => {
    const free = of({ known: of({ a: {} }) }, { 'x-kubernetes-preserve-unknown-fields': true });
    const object = { free: { x: { y: 1 }, known: { a: 1, b: 2 } }, map: { k: { a: 1, b: 2 } } };
    const schema = of({ free, map: { type: 'object', additionalProperties: of({ a: {} }) } });
    expect(pruneUnknown(object, schema)).toEqual(['free.known.b', 'map.k.b']);
    expect(object).toEqual({ free: { x: { y: 1 }, known: { a: 1 } }, map: { k: { a: 1 } } });
  });

  it('treats inherited names as unknown', () => {
    const object = JSON.parse('{"spec":{"constructor":1,"__proto__":{"x":1}}}');
    expect(pruneUnknown(object, of({ spec: of({}) }))).toEqual(['spec.constructor', 'spec.__proto__']);
    expect(object).toEqual({ spec: {} });
  });
});

describe('applyDefaults', () => {
  it.each([
    { rule: 'fills in missing fields', value: {}, is: { n: 1, deep: undefined } },
    { rule: 'keeps existing values', value: { n: 0 }, is: { n: 0 } },
    { rule: 'replaces a forbidden null by the default', value: { n: null }, is: { n: 1 } },
    { rule: 'drops a forbidden null without a default', value: { s: null }, is: { n: 1 } },
    { rule: 'keeps an allowed null', value: { nullable: null }, is: { n: 1, nullable: null } },
    { rule: 'drops a null from a map', value: { map: { a: null, b: 'x' } }, is: { n: 1, map: { b: 'x' } } },
    { rule: 'drops a null where any value is allowed', value: { any: null }, is: { n: 1 } },
    { rule: 'keeps a null in a list', value: { list: [null] }, is: { n: 1, list: [null] } },
    { rule: 'reaches into lists', value: { list: [{}] }, is: { n: 1, list: [{ m: 2 }] } },
    { rule: 'does not create parents', value: {}, is: { n: 1 } },
  ])('$rule', ({ value, is }) => {
    applyDefaults(
      value,
      of({
        n: { type: 'integer', default: 1 },
        s: { type: 'string' },
        nullable: { type: 'string', nullable: true },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        list: { type: 'array', items: of({ m: { default: 2 } }) },
        deep: of({ k: { default: 3 } }),
      }),
    );
    expect(value).toEqual(is);
  });
});

describe('validateStructure', () => {
  it.each([
    {
      rule: 'types',
      schema: of({ a: { type: 'integer' } }),
      value: { a: 'x' },
      says: ['a: Invalid value: "string": a in body must be of type integer: "string"'],
    },
    { rule: 'required fields', schema: of({}, { required: ['a'] }), value: {}, says: ['a: Required value'] },
    {
      rule: 'enums',
      schema: of({ a: { type: 'string', enum: ['x', 'y'] } }),
      value: { a: 'z' },
      says: ['a: Unsupported value: "z": supported values: "x", "y"'],
    },
    {
      rule: 'patterns',
      schema: of({ a: { type: 'string', pattern: '^a+$' } }),
      value: { a: 'b' },
      says: ['a: Invalid value: "b": a in body should match \'^a+$\''],
    },
    {
      rule: 'bounds',
      schema: of({ a: { type: 'integer', minimum: 0 }, b: { type: 'integer', maximum: 3, exclusiveMaximum: true } }),
      value: { a: -1, b: 3 },
      says: [
        'a: Invalid value: -1: a in body should be greater than or equal to 0',
        'b: Invalid value: 3: b in body should be less than 3',
      ],
    },
    {
      rule: 'the int32 range',
      schema: of({ a: { type: 'integer', format: 'int32' }, b: { type: 'integer', format: 'int64' } }),
      value: { a: 2 ** 31, b: 2 ** 31 },
      says: ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a'],
    },
    {
      rule: 'lengths',
      schema: of({ a: { type: 'string', maxLength: 2 }, b: { type: 'array', minItems: 1 } }),
      value: { a: 'abc', b: [] },
      says: [
        'a: Too long: may not be more than 2 bytes',
        'b: Invalid value: 0: b in body should have at least 1 items',
      ],
    },
    {
      rule: 'keys of list-maps',
      schema: of({
        a: {
          type: 'array',
          items: of({ k: {} }),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      }),
      value: { a: [{ k: 'x' }, { k: 'y' }, { k: 'x' }] },
      says: ['a[2]: Duplicate value: {"k":"x"}'],
    },
    {
      rule: 'items of sets',
      schema: of({ a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } }),
      value: { a: ['x', 'x'] },
      says: ['a[1]: Duplicate value: "x"'],
    },
    {
      rule: 'formats',
      schema: of({ a: { type: 'string', format: 'date-time' } }),
      value: { a: 'soon' },
      says: ['a: Invalid value: "soon": a in body must be of type date-time: "soon"'],
    },
    {
      rule: 'CEL rules',
      schema: of({ a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 3', message: 'too small' }] } }),
      value: { a: 2 },
      says: ['a: Invalid value: 2: too small'],
    },
  ])('checks $rule', ({ schema, value, says }) => expect(faults(value, schema)).toEqual(says));

  const immutable = of({
    a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }] },
  });
  it.each([
    { rule: 'is skipped on create', value: { a: 'x' }, old: undefined, says: [] },
    { rule: 'is skipped for a new field', value: { a: 'x' }, old: {}, says: [] },
    { rule: 'accepts the same value', value: { a: 'x' }, old: { a: 'x' }, says: [] },
    { rule: 'rejects a change', value: { a: 'y' }, old: { a: 'x' }, says: ['a: Invalid value: "y": is immutable'] },
  ])('a transition rule $rule', ({ value, old, says }) => expect(faults(value, immutable, old)).toEqual(says));

  it.each([
    { rule: 'leaves the list unchanged', value: { a: [9], b: 1 }, says: 0 },
    { rule: 'changes another item', value: { a: [9, 1] }, says: 1 },
    { rule: 'adds the list', value: { a: [9] }, old: { b: 1 }, says: 1 },
  ])('counts violations in items of an atomic list when an update $rule: $says', ({
    value,
    old = { a: [9] },
    says,
  }) => {
    const few = { type: 'integer' as const, 'x-kubernetes-validations': [{ rule: 'self < 3', message: 'too many' }] };
    const schema = of({ a: { type: 'array', items: few }, b: { type: 'integer' } });
    expect(faults(value, schema, old)).toHaveLength(says);
  });

  it('reports that rules were not evaluated on a malformed object', () => {
    const schema = of({ ...immutable.properties, b: { type: 'string', enum: ['x'] } });
    expect(faults({ a: 'y', b: 'z' }, schema, { a: 'x' })).toEqual([
      'b: Unsupported value: "z": supported values: "x"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  it('tolerates a fault that the update left unchanged', () => {
    const schema = of({ a: { type: 'string', maxLength: 1 }, b: { type: 'integer' } });
    expect(faults({ a: 'long', b: 2 }, schema, { a: 'long', b: 1 })).toEqual([]);
    expect(faults({ a: 'longer', b: 1 }, schema, { a: 'long', b: 1 })).toHaveLength(1);
  });
});

describe('isSound', () => {
  const text: JsonSchema = { type: 'string' };
  const conditions: JsonSchema = {
    type: 'array',
    maxItems: 2,
    items: of({ type: { type: 'string', maxLength: 5 }, at: { type: 'string', format: 'date-time' } }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  };
  const free: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
  const rule = { rule: 'self.a < 3' };
  /** Whether pruning, defaulting and validation leave the value unchanged. */
  const isDone = (value: unknown, schema: JsonSchema): boolean => {
    const finished = openCopy({ value });
    const whole = of({ value: schema });
    pruneUnknown(finished, whole, false);
    applyDefaults(finished, whole);
    return equal(finished, { value }) && validateStructure(finished, whole).length === 0;
  };

  it.each([
    { rule: 'known fields', value: { a: 'x' }, schema: of({ a: text }), is: true },
    { rule: 'an unknown field', value: { b: 'x' }, schema: of({ a: text }), is: false },
    { rule: 'an inherited name', value: { constructor: 'x' }, schema: of({ a: text }), is: false },
    { rule: 'an unknown field set to undefined', value: { b: undefined }, schema: of({ a: text }), is: true },
    { rule: 'another type', value: { a: 1 }, schema: of({ a: text }), is: false },
    { rule: 'a fraction for an integer', value: 1.5, schema: { type: 'integer' }, is: false },
    { rule: 'a list for an object', value: [], schema: of({}), is: false },
    { rule: 'an object for a list', value: {}, schema: { type: 'array', items: text }, is: false },
    { rule: 'a missing field', value: {}, schema: of({ a: text }, { required: ['a'] }), is: false },
    {
      rule: 'a required field set to undefined',
      value: { a: undefined },
      schema: of({ a: text }, { required: ['a'] }),
      is: false,
    },
    { rule: 'a missing default', value: {}, schema: of({ a: { ...text, default: 'x' } }), is: false },
    {
      rule: 'a default that is already set',
      value: { a: 'y' },
      schema: of({ a: { ...text, default: 'x' } }),
      is: true,
    },
    {
      rule: 'a missing default in a nested object',
      value: [{}],
      schema: { type: 'array', items: of({ a: { default: 1 } }) },
      is: false,
    },
    { rule: 'null', value: { a: null }, schema: of({ a: text }), is: false },
    { rule: 'an allowed null', value: { a: null }, schema: of({ a: { ...text, nullable: true } }), is: true },
    { rule: 'a map', value: { x: 'y' }, schema: { type: 'object', additionalProperties: text }, is: true },
    {
      rule: 'an invalid value in a map',
      value: { x: 1 },
      schema: { type: 'object', additionalProperties: text },
      is: false,
    },
    {
      rule: 'a map of any values',
      value: { x: { y: 1 } },
      schema: { type: 'object', additionalProperties: true },
      is: true,
    },
    { rule: 'a free-form value', value: { x: [{ y: 1 }] }, schema: free, is: true },
    { rule: 'a field without a schema', value: [{ x: 1 }], schema: { type: 'array' }, is: false },
    { rule: 'a string that is too long', value: 'xx', schema: { ...text, maxLength: 1 }, is: false },
    {
      rule: 'a string of one character',
      value: '\u{1f600}',
      schema: { ...text, maxLength: 1, minLength: 1 },
      is: true,
    },
    { rule: 'a string that is too short', value: '\u{1f600}', schema: { ...text, minLength: 2 }, is: false },
    { rule: 'a number that is too small', value: -1, schema: { type: 'integer', minimum: 0 }, is: false },
    { rule: 'a number above 32 bits', value: 2 ** 31, schema: { type: 'integer', format: 'int32' }, is: false },
    { rule: 'a number of 32 bits', value: -(2 ** 31), schema: { type: 'integer', format: 'int32' }, is: true },
    { rule: 'a value outside its enum', value: 'x', schema: { ...text, enum: ['y'] }, is: false },
    {
      rule: 'a value that is neither a number nor a string',
      value: true,
      schema: { 'x-kubernetes-int-or-string': true },
      is: false,
    },
    { rule: 'too few fields', value: {}, schema: of({ a: text }, { minProperties: 1 }), is: false },
    { rule: 'a list-map', value: [{ type: 'A' }, { type: 'B' }], schema: conditions, is: true },
    { rule: 'a repeated key', value: [{ type: 'A' }, { type: 'A' }], schema: conditions, is: false },
    { rule: 'too many items', value: [{ type: 'A' }, { type: 'B' }, { type: 'C' }], schema: conditions, is: false },
    { rule: 'an invalid item', value: [{ type: 'A', at: 'now' }], schema: conditions, is: false },
    {
      rule: 'a repeated item in a set',
      value: ['a', 'a'],
      schema: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      is: false,
    },
    { rule: 'a matching alternative', value: 'a', schema: { oneOf: [text, { type: 'integer' }] }, is: true },
    { rule: 'no matching alternative', value: true, schema: { oneOf: [text, { type: 'integer' }] }, is: false },
    {
      rule: 'a satisfied rule',
      value: { a: 2 },
      schema: of({ a: { type: 'integer' } }, { 'x-kubernetes-validations': [rule] }),
      is: true,
    },
    {
      rule: 'a violated rule',
      value: { a: 3 },
      schema: of({ a: { type: 'integer' } }, { 'x-kubernetes-validations': [rule] }),
      is: false,
    },
  ] as { rule: string; value: unknown; schema: JsonSchema; is: boolean }[])('$rule: $is', ({ value, schema, is }) => {
    expect(isSound(value, schema)).toBe(is);
    expect(isDone(value, schema)).toBe(is);
  });

  it('leaves schemas that no string key distinguishes to the validation', () => {
    const keys: JsonSchema = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] };
    const schema: JsonSchema = { type: 'array', items: of({ a: text, b: text }), ...keys };
    expect(isSound([{ a: 'x', b: 'y' }], schema)).toBe(false);
    expect(isDone([{ a: 'x', b: 'y' }], schema)).toBe(true);
  });
});
