/** What a conversion lost, as a list of differences that can be put back later. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/api/object.ts';

/** A field, or an item of a list with the list's length, which must still be the same. */
type Step = string | [item: number, of: number];
/** Where, what stood there after converting back (null = nothing), and what had been there (null = nothing). */
export type Loss = [path: Step[], was: JsonValue, value: JsonValue];

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const orNull = (value: JsonValue | undefined): JsonValue => value ?? null;
/** People name labels, too: `constructor` is not one that every object has. */
const fieldOf = (object: JsonObject, field: string): JsonValue | undefined =>
  Object.hasOwn(object, field) ? object[field] : undefined;

/** Item by item a list is compared only where none has changed its place: else what one lost would come back in another. */
const areInPlace = (back: JsonValue[], original: JsonValue[]): boolean =>
  back.length === original.length &&
  original.every((item, i) => {
    const other = back[i];
    return !isObject(item) || !isObject(other) || item.name === other.name;
  });

/** How `original` differs from `back`. */
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

/** Whether a loss stands in an object of this name, and adds to it. */
const addsTo = (name: string | undefined, [path, was, value]: Loss): boolean =>
  was === null && value !== null && path.some((step) => step === name);

/**
 * `object` with the losses put back whose place still looks as it did. An object called `apart` is made where it is missing:
 * the other version has none of it, so nobody has taken it away there.
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

/** What the other version shows nothing of stays beside what was added there. */
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
