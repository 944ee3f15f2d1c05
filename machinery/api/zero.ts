/**
 * Go's zero values. A field of a Go structure that is not a pointer cannot tell an empty text,
 * structure, list or map from an absent one, so its clients write either. Pure.
 */
import { isObject } from './object.ts';
import type { JsonSchema } from './schema.ts';

const isZeroScalar = (value: unknown): boolean => value === '' || value === 0 || value === false;
/**
 * Whether what is left of a value is zero. A number or a boolean alone is a value: only in a structure
 * of which nothing else is left it counts as zero, too.
 */
const isZero = (value: unknown, at: string, pointers: ReadonlySet<string>): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return value === '';
  return Object.entries(value).every(([name, part]) => {
    const path = `${at}.${name}`;
    return !pointers.has(path) && (isZeroScalar(part) || (typeof part === 'object' && isZero(part, path, pointers)));
  });
};

const walk = (value: unknown, schema: JsonSchema, at: string, pointers: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return value;
    const made = value.map((item) => walk(item, items, `${at}[]`, pointers));
    return made.some((item, i) => item !== value[i]) ? made : value;
  }
  const { properties, required = [] } = schema;
  if (!isObject(value) || !properties) return value;
  let made: Record<string, unknown> = value;
  for (const name of Object.keys(value)) {
    const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!of) continue;
    const path = at === '' ? name : `${at}.${name}`;
    const part = walk(value[name], of, path, pointers);
    const mayGo = !required.includes(name) && of.default === undefined && !pointers.has(path);
    const isAbsent = mayGo && isZero(part, path, pointers);
    if (!isAbsent && part === value[name]) continue;
    if (made === value) made = { ...value };
    if (isAbsent) delete made[name];
    else made[name] = part;
  }
  return made;
};

/**
 * The value without optional fields that are zero. `pointers`: paths such as `volumes[].type` whose
 * zero is a value. Shares unchanged parts.
 */
export const withoutZeros = <T>(value: T, schema: JsonSchema, pointers: ReadonlySet<string>): T =>
  walk(value, schema, '', pointers) as T;
