/** The differences that a conversion loses, as a list that can be restored later. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../machinery/api/object.ts';

/** A field name, or an item index with the list's length, which must still match. */
type Step = string | [item: number, of: number];
/**
 * The path, the value there after converting back (null if absent), and the original value (null if
 * absent).
 */
export type Loss = [path: Step[], was: JsonValue, value: JsonValue];

const orNull = (value: JsonValue | undefined): JsonValue => value ?? null;
/** Users choose label keys: `constructor` must not resolve to the prototype. */
const fieldOf = (object: JsonObject, field: string): JsonValue | undefined =>
  Object.hasOwn(object, field) ? object[field] : undefined;

/**
 * Lists are compared item by item only if no item has moved: otherwise a loss would be restored in
 * another item.
 */
const areInPlace = (back: JsonValue[], original: JsonValue[]): boolean =>
  back.length === original.length &&
  original.every((item, i) => {
    const other = back[i];
    return !isObject(item) || !isObject(other) || item.name === other.name;
  });

/** The differences between `original` and `back`. */
export const losses = (back: JsonValue | undefined, original: JsonValue | undefined, path: Step[] = []): Loss[] => {
  if (isDeepStrictEqual(orNull(back), orNull(original))) return [];
  if (isObject(back) && isObject(original)) {
    const fields = [...new Set([...Object.keys(back), ...Object.keys(original)])].sort();
    return fields.flatMap((field) => losses(fieldOf(back, field), fieldOf(original, field), [...path, field]));
  }
  if (Array.isArray(back) && Array.isArray(original) && areInPlace(back, original))
    return original.flatMap((item, i) => losses(back[i], item, [...path, [i, original.length]]));
  return [[path, orNull(back), orNull(original)]];
};

/** Whether a loss adds a field inside an object of this name. */
const addsTo = (name: string | undefined, [path, was, value]: Loss): boolean =>
  was === null && value !== null && path.some((step) => step === name);

/**
 * Restores the losses whose places are unchanged. An object called `apart` is created if it is
 * missing: the other version does not have it, so no client can have removed it there.
 */
export const putBack = (object: KubeObject, lost: Loss[], apart?: string): KubeObject => {
  if (lost.length === 0) return object;
  const { apiVersion, kind, metadata, ...body } = object;
  const restored = lost.reduce<JsonValue>(
    (result, loss) => replaceAt(result, loss[0], loss[1], loss[2], addsTo(apart, loss)),
    { ...(body as JsonObject) },
  );
  return { apiVersion, kind, metadata, ...(restored as JsonObject) };
};

/** Restores lost fields next to fields that were added in the other version. */
const beside = (into: JsonValue, value: JsonValue): JsonValue => {
  if (!isObject(into) || !isObject(value)) return into;
  const all = { ...value, ...into };
  return Object.fromEntries(
    Object.entries(all).map(([field, content]) => [field, beside(content!, orNull(fieldOf(value, field)))]),
  );
};

const replaceAt = (into: JsonValue, path: Step[], was: JsonValue, value: JsonValue, adds: boolean): JsonValue => {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (isDeepStrictEqual(into, was)) return value;
    return was === null ? beside(into, value) : into;
  }
  if (typeof step === 'string') {
    const there = adds ? (into ?? {}) : into;
    if (!isObject(there) || step === '__proto__') return into;
    const { [step]: _, ...others } = there;
    const replaced = replaceAt(orNull(fieldOf(there, step)), rest, was, value, adds);
    return replaced === null ? others : { ...there, [step]: replaced };
  }
  const [item, of] = step;
  if (!Array.isArray(into) || into.length !== of) return into;
  return into.map((there, i) => (i === item ? replaceAt(there, rest, was, value, adds) : there));
};
