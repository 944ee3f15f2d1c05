/** Validates the keywords of a schema, apart from its structure. */

import { forbidden, invalid, notSupported, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { ruleErrors } from './rules.ts';

/** The keywords that are refused, wherever they stand. */
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Place {
  /** Why no default may stand here. */
  withoutDefaults?: string;
  isRoot?: boolean;
  isInMetadata?: boolean;
  /** The list or map in which old and new values cannot be told to belong together. */
  uncorrelated?: string;
  /** Rules are checked only in a structural schema. */
  withRules: boolean;
}

const keywordErrors = (schema: JsonSchema, field: string, { withoutDefaults, isInMetadata }: Place): FieldError[] => {
  const errors: FieldError[] = [];
  const all = schema as Record<string, unknown>;
  const { type } = all;
  if (typeof type === 'string' && type !== '' && !types.includes(type))
    errors.push(notSupported(`${field}.type`, type, types));
  if (schema.default !== undefined && withoutDefaults !== undefined)
    errors.push(forbidden(`${field}.default`, `must not be set ${withoutDefaults}`.trim()));
  for (const name of unsupported)
    if (all[name] !== undefined) errors.push(forbidden(`${field}.${name}`, `${name} is not supported`));
  if (type === 'null')
    errors.push(forbidden(`${field}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (Array.isArray(all.items))
    errors.push(forbidden(`${field}.items`, 'items must be a schema object and not an array'));
  if (isInMetadata && schema['x-kubernetes-embedded-resource'])
    errors.push(forbidden(`${field}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  if (schema.uniqueItems)
    errors.push(
      forbidden(
        `${field}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  return errors;
};

const typed = (schema: JsonSchema, field: string, wanted: string, extension: string): FieldError[] => {
  if (schema.type === wanted) return [];
  const why = `must be ${wanted} if ${extension} is specified`;
  return [schema.type ? invalid(`${field}.type`, schema.type, why) : required(`${field}.type`, why)];
};

const setErrors = (items: JsonSchema, field: string): FieldError[] => {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType && listType !== 'atomic')
    return [invalid(`${field}.items.x-kubernetes-list-type`, listType, why)];
  const mapType = items['x-kubernetes-map-type'];
  if (items.type === 'object' && mapType !== 'atomic')
    return [invalid(`${field}.items.x-kubernetes-map-type`, mapType ?? null, why)];
  return [];
};

const keyErrors = (items: JsonSchema, keys: readonly string[], field: string): FieldError[] => {
  const list = `${field}.x-kubernetes-list-map-keys`;
  return keys.flatMap((key, i) => {
    const errors: FieldError[] = [];
    const path = `${field}.items.properties[${key}]`;
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (!property) errors.push(invalid(list, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object')
      errors.push(
        invalid(`${path}.type`, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      );
    if (keys.indexOf(key) < i) errors.push(invalid(list, keys, 'must not contain duplicate entries'));
    if (!property) return errors;
    const part = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!items.required?.includes(key) && property.default === undefined)
      errors.push(required(`${path}.default`, `${part} must have a default or be a required property`));
    if (property.nullable) errors.push(forbidden(`${path}.nullable`, `${part} cannot be nullable`));
    return errors;
  });
};

const listMapErrors = ({ items, ...schema }: JsonSchema, field: string): FieldError[] => {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (keys.length === 0)
    errors.push(required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) return [...errors, required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${field}.items.type`, items.type ?? '', why)];
  }
  return [...errors, ...keyErrors(items, keys, field)];
};

const listTypes = ['atomic', 'map', 'set'];
const listErrors = (schema: JsonSchema, field: string): FieldError[] => {
  const type = schema['x-kubernetes-list-type'];
  const errors: FieldError[] = [];
  if (type) errors.push(...typed(schema, field, 'array', 'x-kubernetes-list-type'));
  if (type === 'set' && schema.type === 'array' && schema.items) errors.push(...setErrors(schema.items, field));
  if (type && !listTypes.includes(type)) errors.push(notSupported(`${field}.x-kubernetes-list-type`, type, listTypes));
  if ((schema['x-kubernetes-list-map-keys'] ?? []).length > 0 && type !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${field}.x-kubernetes-list-type`;
    errors.push(type ? invalid(at, type, why) : required(at, why));
  }
  if (type === 'map') errors.push(...listMapErrors(schema, field));
  if ((type === 'map' || type === 'set') && schema.items?.nullable)
    errors.push(forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${type}`));
  return errors;
};

const mapErrors = (schema: JsonSchema, field: string): FieldError[] => {
  const type = schema['x-kubernetes-map-type'];
  if (!type) return [];
  return [
    ...typed(schema, field, 'object', 'x-kubernetes-map-type'),
    ...(type === 'atomic' || type === 'granular'
      ? []
      : [notSupported(`${field}.x-kubernetes-map-type`, type, ['atomic', 'granular'])]),
  ];
};

const metaFields = ['metadata', 'kind', 'apiVersion'];

const childErrors = (schema: JsonSchema, field: string, place: Place): FieldError[] => {
  const { isRoot: _, ...inside } = place;
  const errors: FieldError[] = [];
  const { additionalProperties: rest, properties, items } = schema;
  if (rest !== undefined) {
    if (properties && Object.keys(properties).length > 0 && rest !== true)
      errors.push(
        forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
      );
    const below = place.isInMetadata
      ? { ...inside, withoutDefaults: 'inside additionalProperties applying to object metadata' }
      : inside;
    if (typeof rest === 'object') errors.push(...schemaErrors(rest, `${field}.additionalProperties`, below));
  }
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
  for (const [name, child] of Object.entries(properties ?? {})) {
    const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource']) && metaFields.includes(name);
    errors.push(
      ...schemaErrors(child, `${field}.properties[${name}]`, {
        ...inside,
        ...(isAtomic && inside.uncorrelated === undefined && { uncorrelated: field }),
        ...(isMeta && { isInMetadata: true }),
        ...(isMeta && place.isRoot && { withoutDefaults: `in top-level ${name}` }),
      }),
    );
  }
  const isKeyed = schema['x-kubernetes-list-type'] === 'map';
  if (items && !Array.isArray(items)) {
    const uncorrelated = inside.uncorrelated ?? (isKeyed ? undefined : field);
    errors.push(...schemaErrors(items, `${field}.items`, { ...inside, ...(uncorrelated && { uncorrelated }) }));
  }
  const outside: Place = { ...inside, withRules: false };
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, part] of (schema[name] ?? []).entries())
      errors.push(...schemaErrors(part, `${field}.${name}[${i}]`, outside));
  if (schema.not) errors.push(...schemaErrors(schema.not, `${field}.not`, outside));
  return errors;
};

/** The faults of a schema's keywords and of its rules. */
export function schemaErrors(schema: JsonSchema, field: string, place: Place): FieldError[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const errors = [
    ...keywordErrors(schema, field, place),
    ...childErrors(schema, field, place),
    ...mapErrors(schema, field),
    ...listErrors(schema, field),
  ];
  return [
    ...errors,
    ...ruleErrors(schema, field, { ...place, withExpressions: place.withRules && errors.length === 0 }),
  ];
}

/** The keywords that the root of a schema may have beside a status subresource. */
const atRoot = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];
const goNames =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

/** Beside a status subresource, the root must not say what holds for the whole object. */
export const rootErrors = (schema: JsonSchema, field: string): FieldError[] => {
  if (schema.type && schema.type !== 'object') {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${field}.type`, schema.type, why)];
  }
  const others = Object.entries(schema).some(([name, value]) => !atRoot.includes(name) && !equal(value, false));
  if (!others) return [];
  const why = `only [${goNames}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(field, schema, why)];
};
