/** Filters and tests of Jinja. Pure. */
import { isMapping, isTrue, itemsOf, Missing, refuseMissing, TemplateError, textOf, type Value } from './value.ts';

export type Call = (value: Value, args: readonly Value[], named: Readonly<Record<string, Value>>) => Value;

const lengthOf = (value: Value): number => itemsOf(value).length;
const numberOf = (value: Value): number => (typeof value === 'boolean' ? Number(value) : (value as number));
const wholeOf = (value: Value, fallback: Value): Value => {
  if (typeof value === 'number' || typeof value === 'boolean') return Math.trunc(Number(value));
  const text = value instanceof Missing ? '' : textOf(value).trim();
  return /^[-+]?\d+(?:\.\d+)?$/.test(text) ? Math.trunc(Number(text)) : fallback;
};
const compare = (a: Value, b: Value): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : Number(left > right);
};
const attributeOf = (value: Value, path: string): Value =>
  path
    .split('.')
    .reduce<Value>((at, step) => (isMapping(at) ? (at[step] ?? new Missing(step)) : new Missing(step)), value);
const jsonOf = (value: Value): string => {
  refuseMissing(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(', ')}]`;
  if (isMapping(value))
    return `{${Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}: ${jsonOf(item)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
};
const unsupported: Call = () => {
  throw new TemplateError('unsupported', 'the filter is not supported here');
};
const text =
  (change: (value: string, args: readonly Value[]) => string): Call =>
  (value, args) =>
    change(textOf(value), args);
const html: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
const orDefault: Call = (value, [fallback = '', alsoFalse = false], { default_value: named, boolean }) =>
  value instanceof Missing || (isTrue(boolean ?? alsoFalse) && !isTrue(value)) ? (named ?? fallback) : value;
const asHtml = text((value) => value.replace(/[&<>"']/g, (sign) => html[sign]!));
const titled = (value: string): string =>
  value.replace(/[^\s\-({[<]+/g, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase());

/** Filters, methods, tests and operators whose work is that of the value and an argument, multiplied. */
export const growing: ReadonlySet<string> = new Set(['in', 'indent', 'join', 'not in', 'replace', 'split']);

export const filters: Readonly<Record<string, Call>> = {
  abs: (value) => Math.abs(numberOf(value)),
  capitalize: text((value) => value.charAt(0).toUpperCase() + value.slice(1).toLowerCase()),
  count: (value) => lengthOf(value),
  d: orDefault,
  default: orDefault,
  e: asHtml,
  escape: asHtml,
  first: (value) => itemsOf(value)[0] ?? new Missing(''),
  float: (value, [fallback = 0]) => {
    const number = Number.parseFloat(textOf(value));
    return Number.isNaN(number) ? fallback : number;
  },
  indent: text((value, [width = 4, first = false, blank = false]) => {
    const pad = typeof width === 'string' ? width : ' '.repeat(Number(width));
    const lines = value.split('\n');
    return lines
      .map((line, i) => ((i === 0 && !isTrue(first)) || (line === '' && !isTrue(blank)) ? line : pad + line))
      .join('\n');
  }),
  int: (value, [fallback = 0]) => wholeOf(value, fallback),
  items: (value) => (isMapping(value) ? Object.entries(value).map(([key, item]) => [key, item]) : []),
  join: (value, [separator = ''], { attribute }) =>
    itemsOf(value)
      .map((item) => textOf(attribute === undefined ? item : attributeOf(item, textOf(attribute))))
      .join(textOf(separator)),
  last: (value) => itemsOf(value).at(-1) ?? new Missing(''),
  length: (value) => lengthOf(value),
  list: (value) => [...itemsOf(value)],
  lower: text((value) => value.toLowerCase()),
  max: (value) => itemsOf(value).toSorted(compare).at(-1) ?? new Missing(''),
  min: (value) => itemsOf(value).toSorted(compare)[0] ?? new Missing(''),
  replace: (value, [from, to, count]) => {
    const parts = textOf(value).split(textOf(from ?? ''));
    const most = typeof count === 'number' ? count : Number.POSITIVE_INFINITY;
    return parts.reduce((done, part, i) => (i === 0 ? part : done + textOf(i <= most ? (to ?? '') : from!) + part), '');
  },
  reverse: (value) => (typeof value === 'string' ? [...value].reverse().join('') : itemsOf(value).toReversed()),
  round: (value, [digits = 0]) => Math.round(numberOf(value) * 10 ** numberOf(digits)) / 10 ** numberOf(digits),
  safe: (value) => textOf(value),
  sort: (value) => itemsOf(value).toSorted(compare),
  string: text((value) => value),
  sum: (value) => itemsOf(value).reduce<number>((sum, item) => sum + numberOf(item), 0),
  title: text(titled),
  tojson: (value) => jsonOf(value).replace(/[<>&']/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  trim: text((value) => value.trim()),
  unique: (value) => [...new Map(itemsOf(value).map((item) => [textOf(item), item])).values()],
  upper: text((value) => value.toUpperCase()),
  urlencode: text((value) => encodeURIComponent(value).replaceAll('%2F', '/')),
  wordcount: (value) => textOf(value).match(/\w+/g)?.length ?? 0,
  ...Object.fromEntries(
    [
      ...['attr', 'batch', 'center', 'dictsort', 'filesizeformat', 'forceescape', 'format', 'groupby', 'map'],
      ...['pprint', 'random', 'reject', 'rejectattr', 'select', 'selectattr', 'slice', 'striptags', 'truncate'],
      ...['urlize', 'wordwrap', 'xmlattr'],
    ].map((name) => [name, unsupported]),
  ),
};

const number = (value: Value): boolean => typeof value === 'number' || typeof value === 'boolean';
const equal = (a: Value, b: Value): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

export const tests: Readonly<Record<string, (value: Value, args: readonly Value[]) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  defined: (value) => !(value instanceof Missing),
  divisibleby: (value, [by]) => numberOf(value) % numberOf(by!) === 0,
  eq: (value, [other]) => equal(value, other!),
  equalto: (value, [other]) => equal(value, other!),
  even: (value) => numberOf(value) % 2 === 0,
  false: (value) => value === false,
  filter: (value) => Object.hasOwn(filters, textOf(value)),
  float: (value) => typeof value === 'number' && !Number.isInteger(value),
  ge: (value, [other]) => compare(value, other!) >= 0,
  greaterthan: (value, [other]) => compare(value, other!) > 0,
  gt: (value, [other]) => compare(value, other!) > 0,
  in: (value, [other]) => itemsOf(other!).some((item) => equal(item, value)) || textOf(other!).includes(textOf(value)),
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  iterable: (value) => typeof value === 'string' || Array.isArray(value) || isMapping(value),
  le: (value, [other]) => compare(value, other!) <= 0,
  lessthan: (value, [other]) => compare(value, other!) < 0,
  lower: (value) => textOf(value) === textOf(value).toLowerCase(),
  lt: (value, [other]) => compare(value, other!) < 0,
  mapping: (value) => isMapping(value),
  ne: (value, [other]) => !equal(value, other!),
  none: (value) => value === null,
  number,
  odd: (value) => Math.abs(numberOf(value) % 2) === 1,
  sameas: (value, [other]) => value === other,
  sequence: (value) => typeof value === 'string' || Array.isArray(value) || isMapping(value),
  string: (value) => typeof value === 'string',
  test: (value) => Object.hasOwn(tests, textOf(value)),
  true: (value) => value === true,
  undefined: (value) => value instanceof Missing,
  upper: (value) => textOf(value) === textOf(value).toUpperCase(),
};

/** Of objects: what templates call. */
export const methods: Readonly<Record<string, Call>> = {
  endswith: (value, [part]) => textOf(value).endsWith(textOf(part!)),
  get: (value, [key, fallback = null]) => (isMapping(value) ? (value[textOf(key!)] ?? fallback) : fallback),
  items: filters.items!,
  join: (value, [list]) => itemsOf(list!).map(textOf).join(textOf(value)),
  keys: (value) => (isMapping(value) ? Object.keys(value) : []),
  lower: filters.lower!,
  lstrip: (value) => textOf(value).trimStart(),
  replace: filters.replace!,
  rstrip: (value) => textOf(value).trimEnd(),
  split: (value, [separator]) =>
    separator === undefined || separator === null
      ? textOf(value).trim().split(/\s+/)
      : textOf(value).split(textOf(separator)),
  startswith: (value, [part]) => textOf(value).startsWith(textOf(part!)),
  strip: (value) => textOf(value).trim(),
  title: filters.title!,
  upper: filters.upper!,
  values: (value) => (isMapping(value) ? Object.values(value) : []),
};
