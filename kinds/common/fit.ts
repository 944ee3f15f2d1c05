/** Trims a converted value to what a schema can accept. */
import { isObject, type JsonObject, type JsonValue } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';

/** Drops unknown fields, nulls, and empty optional values if the schema rejects empty ones. */
export const fitTo = (schema: JsonSchema, value: JsonObject): JsonObject =>
  schema.properties ? fitFields(schema, schema.properties, value) : value;

const fitFields = (schema: JsonSchema, properties: Record<string, JsonSchema>, value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([field, content]) => {
      const of = Object.hasOwn(properties, field) ? properties[field]! : undefined;
      if (content === undefined || !of) return [];
      if (of['x-kubernetes-preserve-unknown-fields']) return [[field, content]];
      if (content === null) return [];
      const fitting = fitValue(of, content);
      const mayGo = !schema.required?.includes(field);
      return mayGo && isRefusedAsEmpty(of, fitting) ? [] : [[field, fitting]];
    }),
  );

const fitValue = (schema: JsonSchema, value: JsonValue): JsonValue => {
  if (schema['x-kubernetes-preserve-unknown-fields']) return value;
  if (Array.isArray(value)) return schema.items ? value.map((item) => fitValue(schema.items!, item)) : value;
  if (!isObject(value)) return value;
  if (schema.properties) return fitFields(schema, schema.properties, value);
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, content]) =>
      content === undefined || content === null ? [] : [[key, fitValue(additionalProperties, content)]],
    ),
  );
};

/** Whether the schema rejects a value that means nothing. */
export const isRefusedAsEmpty = (schema: JsonSchema, value: JsonValue): boolean => {
  if (value === '') return (schema.minLength ?? 0) > 0 || schema.enum !== undefined;
  if (value === 0) return (schema.minimum ?? 0) > 0;
  if (Array.isArray(value)) return value.length === 0 && (schema.minItems ?? 0) > 0;
  return isObject(value) && Object.keys(value).length === 0 && (schema.minProperties ?? 0) > 0;
};
