/** Every field of a schema, and values that a user may write into it. */

import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject, JsonValue } from '../../../machinery/api/object.ts';
import type { JsonSchema } from '../../../machinery/api/schema.ts';

export interface Field {
  /** The names from the object down. `*` is an element of a list or the value of a key. */
  path: readonly string[];
  schema: JsonSchema;
}

export type Edit = 'set' | 'unset' | 'minimum' | 'maximum' | 'invalid';
export interface Value {
  edit: Edit;
  /** Null removes the field. */
  value: JsonValue;
}

const deepest = 12;

export const fieldsOf = (schema: JsonSchema, path: readonly string[] = []): Field[] => {
  if (path.length > deepest) return [];
  const here = path.length > 0 ? [{ path, schema }] : [];
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => fieldsOf(of, [...path, name]));
  const keyed =
    typeof schema.additionalProperties === 'object' ? fieldsOf(schema.additionalProperties, [...path, '*']) : [];
  const listed = schema.items ? fieldsOf(schema.items, [...path, '*']) : [];
  return [...here, ...inside, ...keyed, ...listed];
};

/** Machines cost time, both virtual and real. */
const fewest = 0;
const most = 4;
const isCount = ({ path }: Field) => /replicas|maxSurge|maxUnavailable/i.test(path.at(-1)!);

const numbers = (field: Field): Value[] => {
  const { minimum, maximum, type } = field.schema;
  const [low, high] = isCount(field) ? [fewest, most] : [minimum ?? -1, maximum ?? 2 ** 31 - 1];
  return [
    { edit: 'set', value: minimum === undefined ? 3 : Math.min(minimum + 1, high) },
    { edit: 'minimum', value: low },
    { edit: 'maximum', value: high },
    ...(minimum === undefined ? [] : [{ edit: 'invalid', value: minimum - 1 } as const]),
    { edit: 'invalid', value: type === 'integer' ? 1.5 : 'many' },
  ];
};

const strings = ({ schema }: Field): Value[] => {
  if (schema.enum) return [...schema.enum.map((one) => ({ edit: 'set', value: one as string }) as const)];
  return [
    { edit: 'set', value: schema.format === 'date-time' ? '2026-05-01T00:00:00Z' : 'other' },
    { edit: 'minimum', value: 'a'.repeat(schema.minLength ?? 0) },
    { edit: 'maximum', value: 'a'.repeat(Math.min(schema.maxLength ?? 300, 70_000)) },
    { edit: 'invalid', value: '\u0000 ${x} \n' },
  ];
};

const valuesByType: Record<NonNullable<JsonSchema['type']>, (field: Field) => Value[]> = {
  boolean: () => [
    { edit: 'set', value: true },
    { edit: 'set', value: false },
  ],
  integer: numbers,
  number: numbers,
  string: strings,
  object: () => [{ edit: 'minimum', value: {} }],
  array: ({ schema }) => [
    { edit: 'minimum', value: [] },
    ...(schema.maxItems === undefined || schema.maxItems > 200
      ? []
      : [{ edit: 'invalid', value: Array.from({ length: schema.maxItems + 1 }, () => ({})) } as const]),
  ],
};

/** A value of the wrong type, for any right type. */
const misfit = ({ type }: JsonSchema): JsonValue => (type === 'string' || type === undefined ? 7 : 'misfit');

export const valuesOf = (field: Field): Value[] => [
  ...(field.schema.type ? valuesByType[field.schema.type](field) : [{ edit: 'set', value: '10%' } as const]),
  { edit: 'unset', value: null },
  { edit: 'invalid', value: misfit(field.schema) },
];

/** The first existing key of a map. */
const keyIn = (object: JsonValue | undefined, name: string): string =>
  name === '*' ? (Object.keys((object as JsonObject) ?? {})[0] ?? 'key') : name;
const at = (value: JsonValue | undefined, name: string): JsonValue | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value[0] : value[keyIn(value, name)];
};
export const valueAt = (object: JsonValue, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(at, object);

/**
 * A merge patch that sets the value. It replaces lists, so it repeats the other fields of the first
 * element.
 */
export const patchOf = (object: JsonValue | undefined, path: readonly string[], value: JsonValue): JsonValue => {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const isOfList = Array.isArray(object) || (object === undefined && name === '*');
  if (isOfList) {
    const [first, ...others] = Array.isArray(object) ? object : [];
    const changed = patchOf(first, rest, value);
    const whole = changed === null ? null : mergePatch(first ?? null, changed);
    return whole === null ? others : [whole, ...others];
  }
  const key = keyIn(object, name);
  return { [key]: patchOf(at(object, key), rest, value) };
};

/**
 * The patch that restores a path to its value in this object. A list is restored as a whole,
 * because its elements move when one is removed. For a missing path, the patch also removes the
 * parents that a write would create.
 */
export const wayBack = (
  object: JsonValue,
  path: readonly string[],
  above: readonly string[] = [],
): { path: readonly string[]; value: JsonValue } => {
  const [name, ...rest] = path;
  if (name === undefined || object === null || Array.isArray(object)) return { path: above, value: object };
  const key = keyIn(object, name);
  return wayBack(at(object, key) ?? null, rest, [...above, key]);
};
