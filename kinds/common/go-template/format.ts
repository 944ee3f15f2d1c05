/** Writes values as Go's package fmt does. */
import type { Value } from './nodes.ts';

/** The verb %v of a float64. */
export const floatText = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  // The shortest form counts as one of six digits.
  if (power >= -4 && power < 6) return plainFloat(value, digits, power);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
};
const plainFloat = (value: number, digits: string, power: number): string => {
  if (power < 0) {
    const sign = value < 0 ? '-' : '';
    return `${sign}0.${'0'.repeat(-power - 1)}${digits.replace(/[-.]/g, '')}`;
  }
  return String(value);
};

const isList = (value: Value): value is Value[] => Array.isArray(value);

/** The verb %v, of a value inside of another one. */
const inner = (value: Value): string => (value === null || value === undefined ? '<nil>' : text(value));

/** The verb %v. */
export const text = (value: Value): string => {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'number') return floatText(value);
  if (isList(value)) return `[${value.map(inner).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${inner(value[key])}`);
  return `map[${entries.join(' ')}]`;
};

/** What an action prints. */
export const printed = (value: Value): string => (value === undefined || value === null ? '<no value>' : text(value));

/** Go's double-quoted form. */
export const quoted = (value: string): string =>
  `"${[...value]
    .map((one) => {
      const code = one.codePointAt(0)!;
      if (one === '"' || one === '\\') return `\\${one}`;
      const named = { 7: 'a', 8: 'b', 12: 'f', 10: 'n', 13: 'r', 9: 't', 11: 'v' }[code];
      if (named) return `\\${named}`;
      if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
      return one;
    })
    .join('')}"`;

/** `print`: operands are parted by spaces where neither is a string. */
export const sprint = (values: readonly Value[]): string =>
  values
    .map((value, i) => {
      const apart = i > 0 && typeof value !== 'string' && typeof values[i - 1] !== 'string';
      return `${apart ? ' ' : ''}${text(value)}`;
    })
    .join('');

const typeName = (value: Value): string => {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return isList(value) ? '[]interface {}' : 'map[string]interface {}';
};
export const goType = typeName;

const padded = (body: string, flags: string, width: number): string => {
  if (body.length >= width) return body;
  if (flags.includes('-')) return body.padEnd(width);
  if (!flags.includes('0')) return body.padStart(width);
  const sign = /^[+-]/.test(body) ? body[0]! : '';
  return sign + body.slice(sign.length).padStart(width - sign.length, '0');
};

const wrong = (verb: string, value: Value): string => `%!${verb}(${typeName(value)}=${text(value)})`;

const integerVerb = (verb: string, value: Value): string => {
  if (typeof value !== 'bigint') return wrong(verb, value);
  const base = { d: 10, x: 16, X: 16, o: 8, b: 2 }[verb] ?? 10;
  const digits = value.toString(base);
  return verb === 'X' ? digits.toUpperCase() : digits;
};

const exponent = (written: string): string => written.replace(/e([+-])(\d)$/, 'e$10$2');
const floatVerb = (verb: string, value: Value, precision: number | undefined): string => {
  if (typeof value !== 'number') return wrong(verb, value);
  if (verb === 'f' || verb === 'F') return value.toFixed(precision ?? 6);
  if (verb === 'e') return exponent(value.toExponential(precision ?? 6));
  return precision === undefined ? floatText(value) : exponent(String(Number(value.toPrecision(precision))));
};

const stringVerb = (verb: string, value: Value, precision: number | undefined): string => {
  if (verb === 'x' && typeof value === 'string') return Buffer.from(value).toString('hex');
  if (typeof value === 'string') {
    const cut = precision === undefined ? value : [...value].slice(0, precision).join('');
    return verb === 'q' ? quoted(cut) : cut;
  }
  if (isList(value)) return `[${value.map((one) => stringVerb(verb, one, precision)).join(' ')}]`;
  return wrong(verb, value);
};

const verbText = (verb: string, value: Value, precision: number | undefined): string => {
  switch (verb) {
    case 'v':
      return text(value);
    case 'T':
      return typeName(value);
    case 't':
      return typeof value === 'boolean' ? String(value) : wrong(verb, value);
    case 'd':
    case 'o':
    case 'b':
    case 'X':
      return integerVerb(verb, value);
    case 'x':
      return typeof value === 'bigint' ? integerVerb(verb, value) : stringVerb(verb, value, precision);
    case 'c':
      return typeof value === 'bigint' ? String.fromCodePoint(Number(value)) : wrong(verb, value);
    case 's':
    case 'q':
      return stringVerb(verb, value, precision);
    case 'e':
    case 'f':
    case 'F':
    case 'g':
      return floatVerb(verb, value, precision);
    default:
      return wrong(verb, value);
  }
};

/** `printf`. */
export const sprintf = (format: string, values: readonly Value[]): string => {
  let next = 0;
  const body = format.replace(
    /%([-+# 0]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (next >= values.length) return `%!${verb}(MISSING)`;
      const value = values[next++];
      const written = verbText(verb, value, precision === undefined ? undefined : Number(precision));
      const signed = flags.includes('+') && /^\d/.test(written) && typeof value !== 'string' ? `+${written}` : written;
      return padded(signed, flags, Number(width ?? 0));
    },
  );
  const left = values.slice(next);
  if (left.length === 0) return body;
  return `${body}%!(EXTRA ${left.map((value) => `${typeName(value)}=${text(value)}`).join(', ')})`;
};
