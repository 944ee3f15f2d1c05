/** JSON of what an expression makes. */
import { Optional } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { losesDigits, roundedInteger } from '../api/exact.ts';
import { define, type Fields } from '../api/merge.ts';
import type { JsonValue } from '../api/object.ts';
import { ObjectLiteral } from './literals.ts';

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));

const fieldsOf = (entries: Iterable<readonly [unknown, unknown]>): JsonValue => {
  const fields: Fields = {};
  for (const [key, value] of entries) define(fields, String(key), jsonOf(value));
  return fields as JsonValue;
};

/** Throws for a value that JSON has no form of. */
export const jsonOf = (value: unknown): JsonValue => {
  switch (typeof value) {
    case 'bigint':
      if (losesDigits(String(value))) throw new Error(roundedInteger(String(value)));
      return Number(value);
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new Error(`${value} has no form in JSON`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof UnsignedInt) return jsonOf(value.value);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return fieldsOf(value);
  if (value instanceof Optional) throw new Error('an optional value has no form in JSON');
  if (typeof value === 'object' && (value instanceof ObjectLiteral || isPlain(value)))
    return fieldsOf(Object.entries(value));
  if (typeof value === 'object') return String(value);
  throw new Error(`a value of type ${typeof value} has no form in JSON`);
};
