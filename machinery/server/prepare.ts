import { invalid } from '../api/errors.ts';
import { frozenCopy, openCopy } from '../api/frozen.ts';
import { apiVersionOf, type FieldError, type KindDefinition, storageVersion } from '../api/kind.ts';
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { applyDefaults } from './structural/default.ts';
import { pruneUnknown } from './structural/prune.ts';
import { isSound } from './structural/sound.ts';
import { validateStructure } from './structural/validate.ts';

type Fields = Record<string, unknown>;

/** The keywords of an object schema whose fields can be prepared one by one. */
const plain = new Set(['type', 'description', 'properties', 'required']);
const isPlain = (schema: JsonSchema): boolean => Object.keys(schema).every((name) => plain.has(name));

const ofWholes = new WeakMap<JsonSchema, Map<string, JsonSchema>>();
/** The schemas of an object's top-level fields. apiVersion, kind and metadata are not pruned. */
const fieldSchemas = (schema: JsonSchema): Map<string, JsonSchema> => {
  const known = ofWholes.get(schema);
  if (known) return known;
  const { apiVersion, kind, metadata, ...own } = schema.properties ?? {};
  const every = Object.entries({ apiVersion, kind, metadata }).flatMap(([name, of]) =>
    of ? [[name, { ...of, 'x-kubernetes-preserve-unknown-fields': true }] as const] : [],
  );
  const schemas = new Map([...every, ...Object.entries(own)]);
  ofWholes.set(schema, schemas);
  return schemas;
};

/** Frozen field values that were found valid, by schema: they stay valid. */
const found = new WeakMap<JsonSchema, WeakSet<object>>();
const remember = (value: unknown, schema: JsonSchema | undefined): void => {
  if (schema === undefined || typeof value !== 'object' || value === null) return;
  const values = found.get(schema) ?? new WeakSet();
  found.set(schema, values.add(value));
};
const isSoundField = (value: unknown, schema: JsonSchema | undefined): boolean =>
  schema !== undefined && (found.get(schema)?.has(value as object) || isSound(value, schema));

const shortened = new WeakMap<JsonSchema, Map<string, JsonSchema>>();
/** The schema without some fields, for an object without them. */
const without = (schema: JsonSchema, names: readonly string[]): JsonSchema => {
  if (names.length === 0) return schema;
  const forms = shortened.get(schema) ?? new Map<string, JsonSchema>();
  shortened.set(schema, forms);
  const known = forms.get(names.join());
  if (known) return known;
  const isLeft = (name: string) => !names.includes(name);
  const { properties = {}, required = [], ...rest } = schema;
  const form: JsonSchema = {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isLeft(name))),
    required: required.filter(isLeft),
  };
  forms.set(names.join(), form);
  return form;
};

/** Fields after pruning and defaulting, and the remaining faults. */
const finished = (fields: Fields, schema: JsonSchema): { made: Fields; errors: FieldError[] } => {
  if (isSound(fields, schema)) return { made: fields, errors: [] };
  const made = openCopy(fields);
  pruneUnknown(made, schema);
  applyDefaults(made, schema);
  return { made, errors: validateStructure(made, schema) };
};

/**
 * Applies a schema to an object that a controller writes in the storage version: prunes unknown
 * fields, applies defaults, and refuses what the API would refuse from a client. Optimized for the
 * usual case: a controller changes little of an object. As in the API, faults that the stored object
 * has in the same place do not count: it is older than a rule, or was converted from a version with
 * fewer.
 */
export const prepareObject = (kind: KindDefinition, object: KubeObject, before?: KubeObject): KubeObject => {
  const { name, schema } = storageVersion(kind);
  // Stored in a version that is not the storage version any more: its schema says nothing of the object.
  if (kind.custom && object.apiVersion !== apiVersionOf(kind.group, name)) return object;
  const fields: Fields = {};
  for (const name of Object.keys(object)) fields[name] = frozenCopy(object[name]);
  const names = Object.keys(fields);
  const schemas = fieldSchemas(schema);
  const sound = isPlain(schema) ? names.filter((name) => isSoundField(fields[name], schemas.get(name))) : [];
  const rest = without(schema, sound);
  const left = Object.fromEntries(names.filter((name) => !sound.includes(name)).map((name) => [name, fields[name]]));
  const { made, errors } = finished(left, rest);
  const counting = errors.length > 0 && before ? validateStructure(made, rest, before) : errors;
  if (counting.length > 0) throw invalid(kind, object.metadata.name, counting);
  const result: Fields = {};
  for (const name of new Set([...names, ...Object.keys(made)])) {
    const value = sound.includes(name) || equal(made[name], fields[name]) ? fields[name] : frozenCopy(made[name]);
    if (value !== undefined) result[name] = value;
    if (errors.length === 0) remember(result[name], schemas.get(name));
  }
  return result as KubeObject;
};
