/** Values as Kubernetes' Go code orders, prints and encodes them. */
import { isObject } from '../api/object.ts';

/** Orders text by its UTF-8 bytes. */
export const compareText = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Surrogates stand for code points above all others.
    if (x >= 0xd800 && y >= 0xd800) {
      const [isPairX, isPairY] = [x < 0xe000, y < 0xe000];
      if (isPairX !== isPairY) return isPairX ? 1 : -1;
    }
    return x - y;
  }
  return a.length - b.length;
};

const ranks = ['number', 'string', 'boolean'];
const rankOf = (value: unknown): number => {
  const rank = ranks.indexOf(typeof value);
  if (rank >= 0) return rank;
  if (value === null) return 5;
  return Array.isArray(value) ? 3 : 4;
};

/** A total order of JSON values, by form and then by value. */
export const compareValues = (a: unknown, b: unknown): number => {
  if (rankOf(a) !== rankOf(b)) return rankOf(a) - rankOf(b);
  if (typeof a === 'string') return compareText(a, b as string);
  if (typeof a === 'object') return compareText(JSON.stringify(a), JSON.stringify(b));
  return Number(a) - Number(b);
};

const escapable = /["\\<>&\u2028\u2029\p{Cc}]/u;
const escapes: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (char: string): string =>
  escapes[char] ??
  (char >= '\u007f' && char < '\u00a0' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A string as Go's encoder writes it, with HTML escaped. */
const jsonText = (text: string): string =>
  escapable.test(text) ? `"${text.replace(/["\\<>&\u2028\u2029\p{Cc}]/gu, escaped)}"` : `"${text}"`;

/** JSON with sorted keys, as Go's encoder writes it. */
export const goJson = (value: unknown): string => {
  if (typeof value === 'string') return jsonText(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort(compareText)
    .map((key) => `${jsonText(key)}:${goJson(value[key])}`)
    .join(',')}}`;
};

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const quotes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const quotedChar = (char: string): string => {
  if (quotes[char]) return quotes[char];
  if (printable.test(char)) return char;
  const code = char.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
};

/** %q */
export const quoted = (text: string): string =>
  /^[\w .:/@-]*$/.test(text) ? `"${text}"` : `"${Array.from(text, quotedChar).join('')}"`;

const int64 = 2 ** 63;
const fractionOf = (digits: string): number => digits.replace(/^-?\d\.?/, '').length;

/** A float64 by %v. */
const floatText = (value: number): string => {
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < mostDigits)) return value.toFixed(Math.max(0, fractionOf(digits) - power));
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
};
/** Numbers with more digits before the point are printed with an exponent. */
const mostDigits = 6;

/** A number by %v: an int64, if it may be one. */
const numberText = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < int64 ? BigInt(value).toString() : floatText(value);

/** A value in a path. Numbers that were read from FieldsV1 are no integers any more. */
export const valueText = (value: unknown, isDecoded: boolean): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return isDecoded ? floatText(value) : numberText(value);
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, isDecoded)).join(',')}]`;
  if (!isObject(value)) return String(value);
  return Object.keys(value)
    .sort(compareText)
    .map((key) => `${key}=${valueText(value[key], isDecoded)}`)
    .join('');
};

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => compareText(a, b));

/** %v */
export const plainText = (value: unknown): string => {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(plainText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  return `map[${entriesOf(value)
    .map(([key, one]) => `${key}:${plainText(one)}`)
    .join(' ')}]`;
};

/** %#v */
export const goSyntax = (value: unknown): string => {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return String(value);
  return `map[string]interface {}{${entriesOf(value)
    .map(([key, one]) => `${quoted(key)}:${goSyntax(one)}`)
    .join(', ')}}`;
};

/** %T */
export const typeName = (value: unknown): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
};
