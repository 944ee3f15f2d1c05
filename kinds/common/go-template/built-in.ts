/** The functions of the package text/template, but for those that call Go functions. */
import type { GoFunction } from './execute.ts';
import { isTrue } from './execute.ts';
import { goType, sprint, sprintf, text } from './format.ts';
import { TemplateError, type Value } from './nodes.ts';
import { atLeast, listIn, stringIn, wholeIn } from './operands.ts';

type Basic = 'bool' | 'int' | 'float' | 'string' | 'none' | 'other';
const basicOf = (value: Value): Basic => {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  return typeof value === 'string' ? 'string' : 'other';
};

const equalTo = (left: Value, right: Value): boolean => {
  const [a, b] = [basicOf(left), basicOf(right)];
  if (a === 'none' || b === 'none') return a === b;
  if (a !== b) throw new TemplateError('incompatible types for comparison');
  if (a === 'other') throw new TemplateError(`non-comparable type ${text(left)}: ${goType(left)}`);
  return left === right;
};

const less = (left: Value, right: Value): boolean => {
  const [a, b] = [basicOf(left), basicOf(right)];
  if (a === 'none' || a === 'other' || a === 'bool' || b === 'none' || b === 'other')
    throw new TemplateError('invalid type for comparison');
  if (a !== b) throw new TemplateError('incompatible types for comparison');
  return left! < right!;
};

const indexed = (value: Value, index: Value): Value => {
  if (value === undefined || value === null) throw new TemplateError('index of untyped nil');
  if (Array.isArray(value)) {
    const at = Number(wholeIn(index));
    if (at < 0 || at >= value.length) throw new TemplateError(`index out of range: ${at}`);
    return value[at];
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    const at = Number(wholeIn(index));
    if (at < 0 || at >= bytes.length) throw new TemplateError(`index out of range: ${at}`);
    return BigInt(bytes[at]!);
  }
  if (typeof value !== 'object') throw new TemplateError(`can't index item of type ${goType(value)}`);
  return Object.hasOwn(value, stringIn(index)) ? value[stringIn(index)] : undefined;
};

const lengthOf = (value: Value): bigint => {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value));
  if (Array.isArray(value)) return BigInt(value.length);
  if (typeof value === 'object' && value !== null) return BigInt(Object.keys(value).length);
  if (value === undefined || value === null) throw new TemplateError('len of nil pointer');
  throw new TemplateError(`len of type ${goType(value)}`);
};

const htmlEscapes: Record<string, string> = {
  '\0': '\uFFFD',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export const builtIn: Record<string, GoFunction> = {
  eq: (left, ...others) => {
    atLeast('eq', 2, [left, ...others]);
    return others.some((one) => equalTo(left, one));
  },
  ne: (left, right) => !equalTo(left, right),
  lt: less,
  le: (left, right) => less(left, right) || equalTo(left, right),
  gt: (left, right) => !less(left, right) && !equalTo(left, right),
  ge: (left, right) => !less(left, right),
  not: (value) => !isTrue(value),
  len: lengthOf,
  index: (value, ...indexes) => indexes.reduce(indexed, value),
  print: (...values) => sprint(values),
  println: (...values) => `${values.map(text).join(' ')}\n`,
  printf: (format, ...values) => sprintf(stringIn(format), values),
  html: (...values) => sprint(values).replace(/[\0"'&<>]/g, (one) => htmlEscapes[one]!),
  urlquery: (...values) =>
    encodeURIComponent(sprint(values))
      .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%20', '+'),
  slice: (value, ...bounds) => {
    const [from = 0, to] = bounds.map((bound) => Number(wholeIn(bound)));
    if (typeof value === 'string') return Buffer.from(value).subarray(from, to).toString();
    return listIn(value).slice(from, to);
  },
};
