import { invalid } from '../api/errors.ts';
import { freeze, openCopy } from '../api/frozen.ts';
import { type KindDefinition, storageVersion } from '../api/kind.ts';
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { applyDefaults } from './structural/default.ts';
import { pruneUnknown } from './structural/prune.ts';
import { validateStructure } from './structural/validate.ts';

type Fields = Record<string, unknown>;

/** Frozen parts of objects that came through here as they are, by the schema of their field: they would again. */
const prepared = new WeakMap<JsonSchema, WeakSet<object>>();
const isPrepared = (value: unknown, schema: JsonSchema | undefined): boolean =>
  schema !== undefined && typeof value === 'object' && value !== null && (prepared.get(schema)?.has(value) ?? false);
const remember = (value: unknown, schema: JsonSchema | undefined): void => {
  if (schema === undefined || typeof value !== 'object' || value === null || !Object.isFrozen(value)) return;
  const values = prepared.get(schema) ?? new WeakSet();
  prepared.set(schema, values.add(value));
};

/** What a schema may say of a whole object for its fields to be looked at one by one. */
const plain = new Set(['type', 'description', 'properties', 'required']);
const isPlain = (schema: JsonSchema): boolean => Object.keys(schema).every((name) => plain.has(name));

const shortened = new WeakMap<JsonSchema, Map<string, JsonSchema>>();
/** The schema without some of its fields, for an object without them. */
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

/**
 * What a schema does to an object that a controller writes in its storage version: unknown fields are dropped, defaults
 * filled in, and what no client could have written is refused as it would be for one. A controller changes little of an
 * object: what is as it was stored is not looked at again.
 */
export const prepareObject = (kind: KindDefinition, object: KubeObject): KubeObject => {
  const { schema } = storageVersion(kind);
  const fields = object as unknown as Fields;
  const known = isPlain(schema)
    ? Object.keys(fields).filter((name) => isPrepared(fields[name], schema.properties?.[name]))
    : [];
  const rest = without(schema, known);
  const open = openCopy(Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name))));
  pruneUnknown(open, rest);
  applyDefaults(open, rest);
  const errors = validateStructure(open, rest);
  if (errors.length > 0) throw invalid(kind, object.metadata.name, errors);
  const result: Fields = {};
  for (const name of new Set([...Object.keys(fields), ...Object.keys(open)])) {
    if (known.includes(name)) result[name] = fields[name];
    else if (open[name] !== undefined)
      result[name] =
        equal(open[name], fields[name]) && Object.isFrozen(fields[name]) ? fields[name] : freeze(open[name]);
    remember(result[name], schema.properties?.[name]);
  }
  return result as unknown as KubeObject;
};
