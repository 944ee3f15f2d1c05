/** A fast check that defaulting, pruning and validation would not change or refuse a value. */
import { memoizeFrozen } from '../../api/memoize.ts';
import { isObject } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { hasRules, validateRules } from './cel.ts';
import { isSoundItself } from './validate.ts';

type Check = (value: unknown) => boolean;

/** Keywords that these checks cover; all others are left to the validation. */
const seenTo = new Set([
  'type',
  'description',
  'default',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

const anything: Check = () => true;
/** Without a schema for its content, only a scalar is sound. */
const barren: Check = (value) => typeof value !== 'object';
const keepsUnknown = (schema: JsonSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

/** No required or defaulted field is missing, and each field is known and sound. */
const fieldsCheck = (schema: JsonSchema): Check => {
  const { properties = {}, required = [], additionalProperties: rest } = schema;
  const known = new Map(Object.entries(properties).map(([name, child]) => [name, checkOf(child)]));
  const unknown = typeof rest === 'object' ? checkOf(rest) : rest || keepsUnknown(schema) ? anything : undefined;
  const needed = [...required, ...Object.keys(properties).filter((name) => properties[name]!.default !== undefined)];
  return (value) => {
    const fields = value as Record<string, unknown>;
    for (const name of needed) if (!Object.hasOwn(fields, name) || fields[name] === undefined) return false;
    for (const name of Object.keys(fields)) {
      const field = fields[name];
      if (field !== undefined && !(known.get(name) ?? unknown)?.(field)) return false;
    }
    return true;
  };
};

/** A frozen value is checked once: in a list of conditions, one or two change at a time. */
const onceFrozen = (check: Check): Check => {
  const ofObject = memoizeFrozen(check);
  return (value) => (isObject(value) ? ofObject(value) : check(value));
};

/** Each item is sound; in sets and list-maps each has a distinct key. */
const itemsCheck = (schema: JsonSchema): Check => {
  const check = schema.items ? onceFrozen(checkOf(schema.items)) : keepsUnknown(schema) ? anything : barren;
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return (value) => (value as unknown[]).every(check);
  const [key, ...more] = schema['x-kubernetes-list-map-keys'] ?? [];
  const identityOf = (item: unknown): unknown => {
    if (type === 'set') return item;
    return key !== undefined && more.length === 0 && isObject(item) ? item[key] : undefined;
  };
  return (value) => {
    const seen = new Set<unknown>();
    for (const item of value as unknown[]) {
      const identity = identityOf(item);
      if (typeof identity !== 'string' || seen.has(identity) || !check(item)) return false;
      seen.add(identity);
    }
    return true;
  };
};

const typeCheck = (schema: JsonSchema): Check => {
  switch (schema.type) {
    case 'object': {
      const check = fieldsCheck(schema);
      return (value) => isObject(value) && check(value);
    }
    case 'array': {
      const check = itemsCheck(schema);
      return (value) => Array.isArray(value) && check(value);
    }
    case 'integer':
      return Number.isInteger;
    case 'string':
    case 'number':
    case 'boolean':
      return (value) => typeof value === schema.type;
    case undefined: {
      const [fields, items] = [fieldsCheck(schema), itemsCheck(schema)];
      return (value) => {
        if (Array.isArray(value)) return items(value);
        return isObject(value) ? fields(value) : true;
      };
    }
  }
};

const compile = (schema: JsonSchema): Check => {
  const check = typeCheck(schema);
  const isAll = Object.keys(schema).every((name) => seenTo.has(name));
  return (value) => {
    if (value === null || value === undefined) return value === null && schema.nullable === true;
    return check(value) && (isAll || isSoundItself(value, schema));
  };
};

/** Compiled with the first value of each schema. */
const checks = new WeakMap<JsonSchema, Check>();
const checkOf = (schema: JsonSchema): Check => {
  const known = checks.get(schema);
  if (known) return known;
  const check = compile(schema);
  checks.set(schema, check);
  return check;
};

/**
 * True: nothing to prune, to default or to refuse. False proves nothing: expensive checks are left
 * to the full validation.
 */
export const isSound = (value: unknown, schema: JsonSchema): boolean =>
  checkOf(schema)(value) && !(hasRules(schema) && validateRules(value, schema, undefined).length > 0);
