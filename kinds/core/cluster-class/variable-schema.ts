/** How a ClusterClass defines variables. */
import type { JsonObject } from '../../../machinery/api/object.ts';
import {
  anything,
  atomicList,
  boolean,
  int64,
  type JsonSchema,
  list,
  listMap,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../../machinery/api/schema.ts';
import { type ApiVersion, inV1beta2, templateMetadata } from '../../common/schema.ts';

/** A list that v1beta2 replaces as a whole. */
export const listOf = <T>(version: ApiVersion, text: string, item: Schema<T>, extra: JsonSchema): Schema<T[]> =>
  version === 'v1beta2' ? atomicList(text, item, extra) : list(text, item, extra);

const ruleReasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'] as const;
const rules = (version: ApiVersion) =>
  listMap(
    'Rules in CEL that the value must satisfy.',
    ['rule'],
    object('A rule.', {
      fieldPath: string('The field that a fault is reported at.', { minLength: 1, maxLength: 512 }),
      message: string('What a fault is reported as.', { minLength: 1, maxLength: 512 }),
      messageExpression: string('A CEL expression of that message.', { minLength: 1, maxLength: 1024 }),
      reason: oneOf('The reason of a fault.', ruleReasons, { default: 'FieldValueInvalid' }),
      rule: required(string('The CEL expression.', { minLength: 1, maxLength: 4096 })),
    }),
    { maxItems: 100, ...inV1beta2(version, { minItems: 1 }) },
  );

// A value is a JsonSchema of these keywords.
const keywords = (version: ApiVersion) =>
  object(
    'The schema of the value, in OpenAPI v3.',
    {
      additionalProperties: anything('Schema of the values of a map, which excludes properties.'),
      allOf: anything('Schemas of which all must match.'),
      anyOf: anything('Schemas of which at least one must match.'),
      default: anything('Value if none is given.'),
      description: string('What the value is for.', { minLength: 1, maxLength: 4096 }),
      enum: listOf(version, 'The values that are allowed.', anything('A value.'), { maxItems: 100 }),
      example: anything('An example of a value.'),
      exclusiveMaximum: boolean('Whether maximum itself is excluded.'),
      exclusiveMinimum: boolean('Whether minimum itself is excluded.'),
      format: string('Format of a string or number.', { minLength: 1, maxLength: 32 }),
      items: anything('Schema of the items of an array.'),
      maxItems: int64('Most items of an array.'),
      maxLength: int64('Most characters of a string.'),
      maxProperties: int64('Most entries of an object.'),
      maximum: int64('Highest number.'),
      minItems: int64('Fewest items of an array.'),
      minLength: int64('Fewest characters of a string.'),
      minProperties: int64('Fewest entries of an object.'),
      minimum: int64('Lowest number.'),
      not: anything('A schema that must not match.'),
      oneOf: anything('Schemas of which exactly one must match.'),
      pattern: string('Regular expression that a string must match.', { minLength: 1, maxLength: 512 }),
      properties: anything('Schemas of the fields of an object.'),
      required: listOf(
        version,
        'Fields that an object must have.',
        string('Name of a field.', { minLength: 1, maxLength: 256 }),
        { maxItems: 1000, ...inV1beta2(version, { minItems: 1 }) },
      ),
      type: oneOf('Type of the value.', ['object', 'array', 'string', 'integer', 'number', 'boolean']),
      uniqueItems: boolean('Whether the items of an array must differ.'),
      'x-kubernetes-int-or-string': boolean('Whether the value is an integer or a string.'),
      'x-kubernetes-preserve-unknown-fields': boolean('Whether fields without a schema are kept.'),
      'x-kubernetes-validations': rules(version),
      'x-metadata': templateMetadata(version, 'Labels and annotations of the schema, for users and tools.'),
    },
    inV1beta2(version, { minProperties: 1 }),
  ) as Schema<JsonObject>;

// The types are those of v1beta2, which is stored.
const metadataName = (version: ApiVersion) =>
  (version === 'v1beta2' ? 'deprecatedV1Beta1Metadata' : 'metadata') as 'deprecatedV1Beta1Metadata';
const metadataOf = (version: ApiVersion) =>
  templateMetadata(version, 'Labels and annotations of the variable; use x-metadata of the schema.');
const variableName = required(string('Name of the variable.', { minLength: 1, maxLength: 256 }));
const definition = (version: ApiVersion) => ({
  [metadataName(version)]: metadataOf(version),
  required: required(boolean('Whether each Cluster must give a value.')),
  schema: required(object('The schema.', { openAPIV3Schema: required(keywords(version)) })),
});

export const variables = (version: ApiVersion) =>
  listOf(
    version,
    'The variables that Clusters give values for.',
    object('A variable.', { name: variableName, ...definition(version) }),
    { maxItems: 1000, ...inV1beta2(version, { minItems: 1 }) },
  );

export const observedVariables = (version: ApiVersion) =>
  listOf(
    version,
    'The variables that Clusters give values for, with all of their definitions.',
    object('A variable.', {
      definitions: required(
        listOf(
          version,
          'Its definitions.',
          object('A definition.', {
            from: required(
              string('inline, or the patch whose extension defines it.', { minLength: 1, maxLength: 256 }),
            ),
            ...definition(version),
          }),
          { maxItems: 100, ...inV1beta2(version, { minItems: 1 }) },
        ),
      ),
      definitionsConflict: boolean('Whether the definitions differ.'),
      name: variableName,
    }),
    { maxItems: 1000 },
  );
