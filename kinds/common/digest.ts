/** A short hash of JSON, independent of the order of fields. Pure. */
import { createHash, type Hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Steps } from '../../machinery/api/steps.ts';

/** Sorts the fields of the object, and leaves out undefined ones. */
const sorted = <T>(object: JsonObject, of: (field: JsonValue | undefined) => T): Record<string, T> => {
  const fields = Object.entries(object).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, of(field)]));
};

const ordered = (value: JsonValue | undefined): JsonValue => {
  if (Array.isArray(value)) return value.map(ordered);
  return typeof value === 'object' && value !== null ? sorted(value, ordered) : (value ?? null);
};

const textOf = (value: JsonValue | undefined): string => JSON.stringify(ordered(value));
/** 16 hexadecimal digits. */
const shortOf = (hash: Hash): string => hash.digest('hex').slice(0, 16);

export const digestOf = (value: JsonValue): string => shortOf(createHash('sha256').update(textOf(value)));

/** Writes what `textOf` would, a step for each part of the outer levels. */
function* writeInSteps(hash: Hash, value: JsonValue | undefined, levels: number): Steps<void> {
  yield;
  if (levels === 0 || typeof value !== 'object' || value === null) {
    hash.update(textOf(value));
    return;
  }
  const isList = Array.isArray(value);
  hash.update(isList ? '[' : '{');
  let separator = '';
  for (const [name, field] of Object.entries(isList ? value : sorted(value, (part) => part))) {
    hash.update(isList ? separator : `${separator}${JSON.stringify(name)}:`);
    yield* writeInSteps(hash, field, levels - 1);
    separator = ',';
  }
  hash.update(isList ? ']' : '}');
}

/** The same for large values, whose lists within three levels are written item by item. */
export function* digestInSteps(value: JsonValue): Steps<string> {
  const hash = createHash('sha256');
  yield* writeInSteps(hash, value, 3);
  return shortOf(hash);
}
