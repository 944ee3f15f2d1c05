/** Random values that a structural schema accepts, for property tests. */
import fc from 'fast-check';
import type { KindDefinition, KindVersion } from '../machinery/api/kind.ts';
import { apiVersionOf } from '../machinery/api/kind.ts';
import type { JsonObject, JsonValue, KubeObject } from '../machinery/api/object.ts';
import type { JsonSchema } from '../machinery/api/schema.ts';

const listed = 3;

export interface ArbitraryOptions {
  /** Values for the schema at a path, such as spec.template.spec.nodeDrainTimeout or spec.rules[].port. */
  at?: (path: string, schema: JsonSchema) => fc.Arbitrary<JsonValue> | undefined;
}

const anyTime = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().replace(/\.\d+/, ''));

const clamp = (value: number | undefined, by: number, otherwise: number) => Math.min(value ?? otherwise, by);

/** Digests, which have 71 characters, are the longest texts that patterns ask for. */
const longestMatch = 72;

const ofString = (schema: JsonSchema): fc.Arbitrary<string> => {
  if (schema.enum) return fc.constantFrom(...(schema.enum as string[]));
  if (schema.format === 'date-time') return anyTime;
  if (schema.format === 'byte')
    return fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const minLength = schema.minLength ?? 0;
  const maxLength = Math.max(minLength, clamp(schema.maxLength, 24, 24));
  if (!schema.pattern) return fc.string({ minLength, maxLength });
  const pattern = new RegExp(schema.pattern);
  return fc
    .stringMatching(pattern, { maxLength: clamp(schema.maxLength, longestMatch, longestMatch) })
    .filter((text) => text.length >= minLength && text.length <= (schema.maxLength ?? text.length));
};

const ofInteger = (schema: JsonSchema): fc.Arbitrary<number> =>
  fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1_000_000 });

const keysOf = (schema: JsonSchema) => schema['x-kubernetes-list-map-keys'];

const ofArray = (schema: JsonSchema, path: string, options: ArbitraryOptions): fc.Arbitrary<JsonValue[]> => {
  const items = ofSchema(schema.items ?? {}, `${path}[]`, options);
  const minLength = schema.minItems ?? 0;
  const maxLength = Math.max(minLength, clamp(schema.maxItems, listed, listed));
  const keys = schema['x-kubernetes-list-type'] === 'set' ? [] : keysOf(schema);
  if (!keys) return fc.array(items, { minLength, maxLength });
  const identity = (item: JsonValue) =>
    JSON.stringify(keys.length > 0 ? keys.map((key) => (item as JsonObject)[key] ?? null) : item);
  return fc.uniqueArray(items, { minLength, maxLength, selector: identity });
};

const ofObject = (schema: JsonSchema, path: string, options: ArbitraryOptions): fc.Arbitrary<JsonValue> => {
  const fields = Object.entries(schema.properties ?? {}).map(([name, of]) => [
    name,
    ofSchema(of, path ? `${path}.${name}` : name, options),
  ]);
  return fc
    .record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<JsonValue>>, {
      requiredKeys: schema.required ?? [],
    })
    .filter((value) => Object.keys(value).length >= (schema.minProperties ?? 0)) as fc.Arbitrary<JsonValue>;
};

/** A value of the schema. */
export const ofSchema = (schema: JsonSchema, path = '', options: ArbitraryOptions = {}): fc.Arbitrary<JsonValue> => {
  const special = options.at?.(path, schema);
  if (special) return special;
  if (schema['x-kubernetes-int-or-string'])
    return fc.oneof(
      fc.nat(100),
      fc.nat(100).map((n) => `${n}%`),
    );
  if (schema['x-kubernetes-preserve-unknown-fields'])
    return (
      schema.type === 'object' ? fc.dictionary(fc.string(), fc.jsonValue()) : fc.jsonValue()
    ) as fc.Arbitrary<JsonValue>;
  switch (schema.type) {
    case 'string':
      return ofString(schema);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return ofInteger(schema);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'array':
      return ofArray(schema, path, options);
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return fc.dictionary(
          fc.string({ minLength: 1, maxLength: 12 }).filter((key) => key !== '__proto__'),
          ofSchema(schema.additionalProperties, `${path}{}`, options),
          { maxKeys: listed },
        ) as fc.Arbitrary<JsonValue>;
      return ofObject(schema, path, options);
    default:
      return fc.jsonValue() as fc.Arbitrary<JsonValue>;
  }
};

/** An object of one version of a kind, with everything below metadata random. */
export const objectOf = (
  kind: KindDefinition,
  version: KindVersion,
  options: ArbitraryOptions = {},
): fc.Arbitrary<KubeObject> => {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = version.schema.properties ?? {};
  return ofSchema({ ...version.schema, properties }, '', options).map((body) => ({
    ...(body as JsonObject),
    apiVersion: apiVersionOf(kind.group, version.name),
    kind: kind.kind,
    metadata: { name: 'it', ...(kind.namespaced && { namespace: 'default' }) },
  }));
};
