/** What functions of templates take, with Go's errors for anything else. */
import { floatText, goType, text } from './format.ts';
import { TemplateError, type Value } from './nodes.ts';

const wrong = (value: Value, wanted: string): TemplateError =>
  value === undefined || value === null
    ? new TemplateError(`invalid value; expected ${wanted}`)
    : new TemplateError(`wrong type for value; expected ${wanted}; got ${goType(value)}`);

export const stringIn = (value: Value): string => {
  if (typeof value === 'string') return value;
  throw wrong(value, 'string');
};
export const wholeIn = (value: Value): bigint => {
  if (typeof value === 'bigint') return value;
  throw wrong(value, 'int');
};
export const mapIn = (value: Value): Record<string, Value> => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw wrong(value, 'map[string]interface {}');
};
export const listIn = (value: Value): Value[] => {
  if (Array.isArray(value)) return value;
  throw new TemplateError(`cannot use a value of type ${goType(value)} as a list`);
};

export const atLeast = (name: string, count: number, values: readonly Value[]): void => {
  const given = values.filter((value, i) => value !== undefined || i < values.length).length;
  if (given < count) throw new TemplateError(`wrong number of args for ${name}: want at least ${count} got ${given}`);
};

/** Any value as a string, as sprig has it. */
export const textOf = (value: Value): string => {
  if (value === undefined || value === null) return '<nil>';
  return text(value);
};
/** The values that are there, as strings. */
export const textsOf = (value: Value): string[] => {
  if (Array.isArray(value)) return value.filter((one) => one !== undefined && one !== null).map(textOf);
  return value === undefined || value === null ? [] : [textOf(value)];
};

/** Any value as an int, zero if it is none. */
export const toWhole = (value: Value): bigint => {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return 0n;
  return /^[+-]?\d+$/.test(value) ? BigInt(value) : 0n;
};

/** Any value as a float64, zero if it is none. */
export const toFloat = (value: Value): number => {
  if (typeof value === 'string') return value.trim() === '' || Number.isNaN(Number(value)) ? 0 : Number(value);
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  return value === true ? 1 : 0;
};

/** A value as JSON has it. */
export const toPlain = (value: Value): unknown => {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TemplateError(`json: unsupported value: ${floatText(value)}`);
  if (Array.isArray(value)) return value.map((one) => toPlain(one) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, toPlain(value[key]) ?? null]));
};
