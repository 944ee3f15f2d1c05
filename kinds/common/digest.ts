/** A short hash of JSON, independent of the order of fields. Pure. */
import { createHash } from 'node:crypto';
import type { JsonValue } from '../../machinery/api/object.ts';

/** Sorts the fields of every object, and leaves out undefined ones. */
const ordered = (value: JsonValue | undefined): JsonValue => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, ordered(field)]),
  );
};

/** 16 hexadecimal digits. */
export const digestOf = (value: JsonValue): string =>
  createHash('sha256')
    .update(JSON.stringify(ordered(value)))
    .digest('hex')
    .slice(0, 16);
