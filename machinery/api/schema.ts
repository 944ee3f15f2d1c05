/**
 * A typed builder for Kubernetes structural schemas: each function returns the JSON schema of a
 * CustomResourceDefinition and carries the TypeScript type of its values. Properties are optional
 * unless `required`.
 */
import type { JsonObject, JsonValue } from './object.ts';

export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  /** A transition rule that also runs without an old value. */
  optionalOldSelf?: boolean;
}

export interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  title?: string;
  description?: string;
  format?: string;
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  nullable?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-validations'?: ValidationRule[];
  /** Strategic merge patch; built-in kinds only. */
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-patch-strategy'?: string;
}

declare const valueType: unique symbol;
export interface Schema<T> {
  json: JsonSchema;
  isRequired?: boolean;
  [valueType]?: T;
}
export interface RequiredSchema<T> extends Schema<T> {
  isRequired: true;
}
export type Infer<S> = S extends Schema<infer T> ? T : never;

type Properties = Record<string, Schema<unknown>>;
type RequiredKeys<P> = { [K in keyof P]: P[K] extends RequiredSchema<unknown> ? K : never }[keyof P];
type ObjectOf<P extends Properties> = { [K in RequiredKeys<P>]: Infer<P[K]> } & {
  [K in Exclude<keyof P, RequiredKeys<P>>]?: Infer<P[K]>;
};
type Flat<T> = { [K in keyof T]: T[K] };
/** Schema fields besides type, description and children. */
type Extra = Omit<JsonSchema, 'type' | 'description' | 'properties' | 'required' | 'items' | 'additionalProperties'>;

const schema = <T>(type: JsonSchema['type'], description: string, rest: JsonSchema = {}): Schema<T> => ({
  json: { ...(type && { type }), ...(description && { description }), ...rest },
});

export const required = <T>(of: Schema<T>): RequiredSchema<T> => ({ ...of, isRequired: true });

/** The same schema with another description, for a shape that many fields share. */
export const described = <T>(description: string, of: Schema<T>, extra: Extra = {}): Schema<T> => ({
  ...of,
  json: { ...of.json, description, ...extra },
});

export const string = <T extends string = string>(description: string, extra: Extra = {}): Schema<T> =>
  schema('string', description, extra);
export const oneOf = <const T extends string>(
  description: string,
  values: readonly T[],
  extra: Extra = {},
): Schema<T> => schema('string', description, { ...extra, enum: [...values] });
export const boolean = (description: string, extra: Extra = {}): Schema<boolean> =>
  schema('boolean', description, extra);
export const integer = (description: string, extra: Extra = {}): Schema<number> =>
  schema('integer', description, extra);
export const int32 = (description: string, extra: Extra = {}): Schema<number> =>
  schema('integer', description, { format: 'int32', ...extra });
export const int64 = (description: string, extra: Extra = {}): Schema<number> =>
  schema('integer', description, { format: 'int64', ...extra });
/** RFC 3339. */
export const time = (description: string, extra: Extra = {}): Schema<string> =>
  schema('string', description, { format: 'date-time', ...extra });
/** Base64 text. */
export const bytes = (description: string, extra: Extra = {}): Schema<string> =>
  schema('string', description, { format: 'byte', ...extra });
export const intOrString = (description: string, extra: Extra = {}): Schema<number | string> =>
  schema(undefined, description, {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    ...extra,
  });
/** Any value, stored as it was sent. */
export const anything = (description: string, extra: Extra = {}): Schema<JsonValue> =>
  schema(undefined, description, { 'x-kubernetes-preserve-unknown-fields': true, ...extra });
/** An object with any fields, stored as it was sent. */
export const anyObject = (description: string, extra: Extra = {}): Schema<JsonObject> =>
  schema('object', description, { 'x-kubernetes-preserve-unknown-fields': true, ...extra });

export const object = <P extends Properties>(
  description: string,
  properties: P,
  extra: Extra = {},
): Schema<Flat<ObjectOf<P>>> => {
  const names = Object.keys(properties).filter((name) => properties[name]!.isRequired);
  return schema('object', description, {
    properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, of.json])),
    ...(names.length > 0 && { required: names }),
    ...extra,
  });
};

export const map = <T>(description: string, of: Schema<T>, extra: Extra = {}): Schema<Record<string, T>> =>
  schema('object', description, { additionalProperties: of.json, ...extra });
export const stringMap = (description: string, extra: Extra = {}): Schema<Record<string, string>> =>
  map(description, { json: { type: 'string' } }, extra);

export const list = <T>(description: string, of: Schema<T>, extra: Extra = {}): Schema<T[]> =>
  schema('array', description, { items: of.json, ...extra });
/** A list that is replaced as a whole. */
export const atomicList = <T>(description: string, of: Schema<T>, extra: Extra = {}): Schema<T[]> =>
  list(description, of, { 'x-kubernetes-list-type': 'atomic', ...extra });
/** A list whose items are identified by `keys`. */
export const listMap = <T>(description: string, keys: string[], of: Schema<T>, extra: Extra = {}): Schema<T[]> =>
  list(description, of, { 'x-kubernetes-list-map-keys': keys, 'x-kubernetes-list-type': 'map', ...extra });
