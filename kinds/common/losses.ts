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

/** `object` with the losses put back whose place still looks as it did. */
export const putBack = (object: KubeObject, lost: Loss[]): KubeObject => {
  if (lost.length === 0) return object;
  const { apiVersion, kind, metadata, ...body } = object;
  const restored = lost.reduce<JsonValue>((result, [path, was, value]) => replaceAt(result, path, was, value), {
    ...(body as JsonObject),
  });
  return { apiVersion, kind, metadata, ...(restored as JsonObject) };
};

const replaceAt = (into: JsonValue, path: Step[], was: JsonValue, value: JsonValue): JsonValue => {
  const [step, ...rest] = path;
  if (step === undefined) return isDeepStrictEqual(into, was) ? value : into;
  if (typeof step === 'string') {
    if (!isObject(into) || step === '__proto__') return into;
    const { [step]: _, ...others } = into;
    const replaced = replaceAt(orNull(fieldOf(into, step)), rest, was, value);
    return replaced === null ? others : { ...into, [step]: replaced };
  }
  const [item, of] = step;
  if (!Array.isArray(into) || into.length !== of) return into;
  return into.map((there, i) => (i === item ? replaceAt(there, rest, was, value) : there));
};
