/** OpenAPI v2 of what v3 describes: one document for all groups, for clients that know no other. */
import { isObject, type JsonObject, type JsonValue } from '../../api/object.ts';

export interface Swagger {
  swagger: '2.0';
  info: { title: string; version: string };
  paths: Record<string, JsonObject>;
  definitions: Record<string, JsonObject>;
}

/** A document of one group and version, as far as it is read. */
export interface Document {
  info: { title: string; version: string };
  paths: Record<string, JsonObject>;
  components: { schemas: Record<string, JsonObject> };
}

const definitionRef = (ref: string): string => ref.replace('#/components/schemas/', '#/definitions/');

/** What v2 has no words for, and what its clients trip over. */
const dropped = new Set(['nullable', 'anyOf', 'oneOf', 'allOf', 'not', 'x-kubernetes-validations']);
const structural = new Set(['type', 'properties', 'items', 'additionalProperties', 'required']);

const mapped = (of: JsonValue | undefined, make: (schema: JsonObject) => JsonValue): JsonObject =>
  Object.fromEntries(Object.entries((of ?? {}) as JsonObject).map(([name, one]) => [name, make(one as JsonObject)]));

/** As Kubernetes publishes schemas of CustomResourceDefinitions: what may be null or anything has no type. */
export const schemaOf = (schema: JsonObject): JsonObject => {
  const [all] = Array.isArray(schema.allOf) ? schema.allOf : [];
  const ref = schema.$ref ?? (isObject(all) ? all.$ref : undefined);
  if (typeof ref === 'string')
    return { $ref: definitionRef(ref), ...(schema.description !== undefined && { description: schema.description }) };
  const isAnything = schema.nullable === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || (isAnything && structural.has(key))) continue;
    if (key === 'properties') made.properties = mapped(value, schemaOf);
    else if ((key === 'items' || key === 'additionalProperties') && isObject(value)) made[key] = schemaOf(value);
    else made[key] = value as JsonValue;
  }
  return made;
};

const kindsOf = 'x-kubernetes-group-version-kind';
const selectableOf = 'x-kubernetes-selectable-fields';

/** A kind with any fields has none in v2, not even its metadata: kubectl would refuse all others. */
const definitionOf = (schema: JsonObject): JsonObject => {
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true || schema[kindsOf] === undefined) return schemaOf(schema);
  const selectable = schema[selectableOf];
  return {
    type: 'object',
    [kindsOf]: schema[kindsOf],
    ...(selectable !== undefined && { [selectableOf]: selectable }),
  };
};

const parameterOf = ({ schema, ...rest }: JsonObject): JsonObject => ({ ...rest, ...(schema as JsonObject) });

const bodyOf = ({ content, required }: JsonObject): JsonObject => {
  const [first] = Object.values(content as JsonObject) as { schema: JsonObject }[];
  return { name: 'body', in: 'body', ...(required === true && { required }), schema: schemaOf(first!.schema) };
};

const responseOf = ({ description, content }: JsonObject): JsonObject => {
  const [first] = Object.values((content ?? {}) as JsonObject) as { schema: JsonObject }[];
  return { description: description!, ...(first && { schema: schemaOf(first.schema) }) };
};

const typesIn = (of: JsonValue | undefined): string[] =>
  isObject(of) && isObject(of.content) ? Object.keys(of.content) : [];

const operationOf = (operation: JsonObject): JsonObject => {
  const { parameters, requestBody, responses, ...rest } = operation;
  const consumes = typesIn(requestBody);
  const produces =
    Object.values(responses as JsonObject)
      .map(typesIn)
      .find((types) => types.length > 0) ?? [];
  return {
    ...rest,
    ...(consumes.length > 0 && { consumes }),
    ...(produces.length > 0 && { produces }),
    schemes: ['https'],
    parameters: [
      ...(isObject(requestBody) ? [bodyOf(requestBody)] : []),
      ...((parameters ?? []) as JsonObject[]).map(parameterOf),
    ],
    responses: mapped(responses, responseOf),
  };
};

const pathOf = ({ parameters, ...operations }: JsonObject): JsonObject => ({
  ...mapped(operations, operationOf),
  ...(parameters !== undefined && { parameters: (parameters as JsonObject[]).map(parameterOf) }),
});

export const swaggerOf = (documents: readonly Document[]): Swagger => ({
  swagger: '2.0',
  info: documents[0]?.info ?? { title: 'Kubernetes', version: 'unversioned' },
  paths: Object.assign({}, ...documents.map(({ paths }) => mapped(paths, pathOf))),
  definitions: Object.assign({}, ...documents.map(({ components }) => mapped(components.schemas, definitionOf))),
});
