/** Compares and merges JSON as the Kubernetes API does: absent and undefined fields are equal. */
import { isObject, type JsonObject } from './object.ts';

export type Fields = Record<string, unknown>;
const present = (value: Fields) => Object.keys(value).filter((key) => value[key] !== undefined);

const none: ReadonlySet<string> = new Set();

/** Whether all fields of two values are equal, except those in `names`. */
export const equalBut = (a: object, b: object, names: ReadonlySet<string>): boolean => {
  const [left, right] = [a as Fields, b as Fields];
  let count = 0;
  for (const key of Object.keys(left)) {
    const value = left[key];
    if (value === undefined || names.has(key)) continue;
    if (!Object.hasOwn(right, key) || !equal(value, right[key])) return false;
    count++;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined && !names.has(key)) count--;
  return count === 0;
};

/** Deep equality of JSON values; the order of fields does not count, that of lists does. */
export const equal = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  return isObject(a) && isObject(b) && equalBut(a, b, none);
};

export const define = (into: Fields, key: string, value: unknown): void => {
  // An assignment to `__proto__` would change the prototype instead of adding a field.
  if (key === '__proto__')
    Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  else into[key] = value;
};

/** RFC 7386; returns a new value that shares unchanged parts. */
export const mergePatch = <T>(target: T, patch: unknown): T => {
  if (!isObject(patch)) return patch as T;
  const result: Fields = {};
  if (isObject(target)) for (const key of present(target)) define(result, key, target[key]);
  for (const key of present(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else define(result, key, mergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result as T;
};

/** The RFC 7386 patch from `from` to `to`; neither may contain nulls. */
export const mergePatchOf = (from: object, to: object): JsonObject => {
  const [before, after] = [from as Fields, to as Fields];
  const patch: Fields = {};
  for (const key of present(before))
    if (!Object.hasOwn(after, key) || after[key] === undefined) define(patch, key, null);
  for (const key of present(after)) {
    const [old, value] = [Object.hasOwn(before, key) ? before[key] : undefined, after[key]];
    if (equal(old, value)) continue;
    define(patch, key, isObject(old) && isObject(value) ? mergePatchOf(old, value) : value);
  }
  return patch as JsonObject;
};

/** Replaces equal parts of `after` by those of `before`, so that later comparisons are cheap. */
export const sharing = <T>(before: unknown, after: T): T => {
  if (before === after) return after;
  if (Array.isArray(after)) {
    if (!Array.isArray(before)) return after;
    const items = after.map((item, i) => sharing(before[i], item));
    const isSame = items.length === before.length && items.every((item, i) => item === before[i]);
    return (isSame ? before : items) as T;
  }
  if (!isObject(after) || !isObject(before)) return after;
  const names = present(after);
  const fields: Fields = {};
  let isSame = names.length === present(before).length;
  for (const name of names) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const field = sharing(old, after[name]);
    isSame &&= field === old;
    define(fields, name, field);
  }
  return (isSame ? before : fields) as T;
};
