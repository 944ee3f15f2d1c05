/** Copies JSON. Frozen values are deeply frozen, so that several holders can share them. */

type Fields = Record<string, unknown>;
const isOpen = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Object.isFrozen(value);

const fieldsOf = (value: object, copyOf: (part: unknown) => unknown): Fields => {
  const copy: Fields = {};
  for (const name of Object.keys(value)) {
    const part = (value as Fields)[name];
    if (part === undefined) continue;
    // An assignment to `__proto__` would change the prototype instead of adding a field.
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: copyOf(part), enumerable: true, configurable: true, writable: true });
    else copy[name] = copyOf(part);
  }
  return copy;
};

/** Freezes a value that has no other holder. */
export const freeze = <T>(value: T): T => {
  if (!isOpen(value)) return value;
  for (const name of Object.keys(value)) freeze((value as Fields)[name]);
  return Object.freeze(value);
};

/** A frozen copy of the value as its JSON would parse; shares parts that are frozen already. */
export const frozenCopy = <T>(value: T): T => {
  if (!isOpen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenCopy(item ?? null))) as T;
  return Object.freeze(fieldsOf(value, frozenCopy)) as T;
};

/** A mutable copy of the value as its JSON would parse; shares nothing. */
export const openCopy = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => openCopy(item ?? null)) as T;
  return fieldsOf(value, openCopy) as T;
};
