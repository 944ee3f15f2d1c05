/**
 * The fields that controllers filled into a spec where its user left them open. The same write
 * notes them on the object, so that a teardown clears exactly these fields, and so that they never
 * count as a change by a user.
 */
import type { Admission } from '../../machinery/api/kind.ts';
import { equal, mergePatchOf } from '../../machinery/api/merge.ts';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../machinery/api/object.ts';
import type { MergePatch } from '../../machinery/api/reconcile.ts';

/** JSON of the filled part of the spec, in the spec's own shape. Reserved for controllers. */
export const filledAnnotation = 'capstan.dev/filled';

const isEmpty = (value: JsonValue): boolean =>
  (isObject(value) && Object.keys(value).length === 0) ||
  (Array.isArray(value) && value.every((item) => item === null));

/**
 * The given counterpart of an item. An item with an id may come after items that a controller
 * filled in.
 */
const givenOf = (items: JsonValue[], item: JsonValue, i: number): JsonValue | undefined =>
  isObject(item) && item.id !== undefined ? items.find((one) => isObject(one) && one.id === item.id) : items[i];

/** A Go client writes such a value where it means an absent one. */
const isZero = (value: JsonValue): boolean => value === '' || value === 0 || isEmpty(value);

/**
 * Fields that ask for something by being there, even empty; a client leaves them out where it means
 * an absent one.
 */
const meantEmpty = new Set(['ipv6']);
/** Beside the filled fields of such an object: the object itself was given. No field has this name. */
const stays = { '': null };

/** Matches list items by id, or else by position; null for an item without differences. */
const added = (given: JsonValue | undefined, written: JsonValue): JsonValue | undefined => {
  if (given === undefined || (isZero(given) && !isZero(written))) return written;
  if (isObject(given) && isObject(written)) {
    const entries = Object.entries(written).flatMap(([name, value]) => {
      const more = value === undefined ? undefined : added(given[name], value);
      if (more === undefined) return [];
      const isKept = meantEmpty.has(name) && isObject(given[name]) && isObject(more);
      return [[name, isKept ? { ...more, ...stays } : more] as const];
    });
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }
  if (Array.isArray(given) && Array.isArray(written)) {
    const items = written.map((value, i) => added(givenOf(given, value, i), value) ?? null);
    return isEmpty(items) ? undefined : items;
  }
  return undefined;
};

/**
 * The filled part of each item. If a user moved an item, its part is found by content instead of
 * position.
 */
const partsOf = (items: JsonValue[], filled: JsonValue[]): (JsonValue | undefined)[] => {
  const isIn = (part: JsonValue | undefined, item: JsonValue | undefined) =>
    isObject(part) && isObject(item) && Object.entries(part).every(([name, value]) => equal(item[name], value));
  const moved = filled.filter((part, i) => !isIn(part, items[i]));
  return items.map(
    (item, i) => (isIn(filled[i], item) ? undefined : moved.find((part) => isIn(part, item))) ?? filled[i],
  );
};

const taken = (value: JsonValue | undefined, filled: JsonValue): JsonValue | undefined => {
  if (value === undefined || filled === null || equal(value, filled)) return filled === null ? value : undefined;
  if (isObject(value) && isObject(filled)) {
    const rest = Object.entries(value).flatMap(([name, field]) => {
      const part = filled[name];
      const left = part === undefined ? field : taken(field, part);
      return left === undefined ? [] : [[name, left] as const];
    });
    return Object.fromEntries(rest);
  }
  if (Array.isArray(value) && Array.isArray(filled)) {
    const parts = partsOf(value, filled);
    const rest = value.flatMap((item, i) => {
      const part = parts[i];
      const left = part === undefined ? item : taken(item, part);
      return left === undefined ? [] : [left];
    });
    return rest.length === 0 && value.length > 0 ? undefined : rest;
  }
  return value;
};

/** The filled part of the object's spec; an invalid annotation counts as empty. */
export const filledOf = ({ metadata }: Pick<KubeObject, 'metadata'>): JsonObject => {
  try {
    const noted: unknown = JSON.parse(metadata.annotations?.[filledAnnotation] ?? '{}');
    return isObject(noted) ? noted : {};
  } catch {
    return {};
  }
};

/** The spec without filled values, except those that have changed since. */
export const givenSpec = (object: Pick<KubeObject, 'metadata' | 'spec'>): JsonObject =>
  (taken((object.spec ?? {}) as JsonObject, filledOf(object)) ?? {}) as JsonObject;

/** The annotation for a spec that is about to be written; null if nothing in it is filled. */
export const filledNote = (object: Pick<KubeObject, 'metadata' | 'spec'>, written: JsonObject): string | null => {
  const filled = added(givenSpec(object), written);
  return filled === undefined ? null : JSON.stringify(filled);
};

/**
 * The patch that restores the given spec and removes the annotation; empty if nothing was filled.
 */
export const givenPatch = (object: Pick<KubeObject, 'metadata' | 'spec'>): MergePatch =>
  object.metadata.annotations?.[filledAnnotation] === undefined
    ? {}
    : {
        metadata: { annotations: { [filledAnnotation]: null } },
        spec: mergePatchOf(object.spec ?? {}, givenSpec(object)),
      };

/**
 * The object that a client sends, with the filled value of a field that it leaves out: its manifest
 * does not know it, or has a zero value in its place.
 */
export const keepingFilled = <T extends KubeObject>(
  object: T,
  { operation, old, byController }: Admission,
  field: string,
): T => {
  // Only controllers can change the annotation; a teardown removes it with the field.
  const isNoted = filledOf(object)[field] !== undefined;
  if (operation !== 'update' || byController || !old?.spec || !isNoted) return object;
  const spec = (object.spec ?? {}) as JsonObject;
  return spec[field] === undefined
    ? { ...object, spec: { ...spec, [field]: (old.spec as JsonObject)[field] } }
    : object;
};
