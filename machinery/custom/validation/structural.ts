/** Whether a schema is structural: it names the type of each field once, and values only restrict it. */
import { RE2JS } from 're2js';
import { forbidden, invalid, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import type { JsonSchema } from '../../api/schema.ts';

type Level = 'root' | 'items' | 'field';

const intOrString = [{ type: 'integer' }, { type: 'string' }];
const isIntOrString = (schema: JsonSchema | undefined): boolean => equal(schema?.anyOf, intOrString);

const emptyTypes: Record<Level, string> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** The most that a program of a regular expression may take, as Kubernetes' library limits it, too. */
const longestPattern = 10_000;

const patternErrors = ({ pattern }: JsonSchema, field: string): FieldError[] => {
  if (!pattern) return [];
  const wrong = (why: string) => [
    invalid(`${field}.pattern`, pattern, `must be a valid regular expression, but isn't: ${why}`),
  ];
  if (pattern.length > longestPattern) return wrong(`it has more than ${longestPattern} characters`);
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    return wrong((error as Error).message);
  }
};

/** Keywords that value validations must not contain, with the reason. */
const banned = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
] as const;

const isUnset = (value: unknown): boolean =>
  value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);

/** The junctors of a schema: each part with its path. */
const partsOf = (schema: JsonSchema, field: string): [JsonSchema, string][] => [
  ...(['anyOf', 'allOf', 'oneOf'] as const).flatMap((name) =>
    (schema[name] ?? []).map((part, i): [JsonSchema, string] => [part, `${field}.${name}[${i}]`]),
  ),
  ...(schema.not ? [[schema.not, `${field}.not`] as [JsonSchema, string]] : []),
];

const nestedErrors = (part: JsonSchema, field: string, isPattern: boolean): FieldError[] => [
  ...(isPattern ? [] : partsOf(part, field)).flatMap(([one, path]) => nestedErrors(one, path, false)),
  ...patternErrors(part, field),
  ...(part.items ? nestedErrors(part.items, `${field}.items`, false) : []),
  ...Object.entries(part.properties ?? {}).flatMap(([name, one]) =>
    nestedErrors(one, `${field}.properties[${name}]`, false),
  ),
  ...banned.flatMap(([name, why]) => (isUnset(part[name]) ? [] : [forbidden(`${field}.${name}`, why)])),
  ...(part.properties && Object.hasOwn(part.properties, 'metadata')
    ? [forbidden(`${field}.properties[metadata]`, 'must not be specified in a nested context')]
    : []),
];

const valueErrors = (schema: JsonSchema, field: string): FieldError[] => [
  ...partsOf(schema, field).flatMap(([part, path]) => {
    if (path.includes('.anyOf[', field.length) && isIntOrString(schema)) return [];
    const isPattern = path === `${field}.allOf[0]` && isIntOrString(part);
    return nestedErrors(part, path, isPattern);
  }),
  ...patternErrors(schema, field),
];

const metadataErrors = (metadata: JsonSchema, field: string, level: Level): FieldError[] => {
  const errors = metadata.type === 'object' ? [] : [invalid(`${field}.type`, metadata.type ?? '', 'must be object')];
  if (level !== 'root') return errors;
  const { type: _, description: __, properties = {}, default: ___, ...others } = metadata;
  const isPlain = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
  if (isPlain && Object.keys(others).length === 0) return errors;
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...errors, forbidden(field, why)];
};

const typeErrors = (schema: JsonSchema, level: Level, field: string): FieldError[] => {
  const { type } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    return [type ? invalid(`${field}.type`, type, why) : required(`${field}.type`, why)];
  }
  if (type)
    return level === 'root' && type !== 'object' ? [invalid(`${field}.type`, type, 'must be object at the root')] : [];
  if (schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields']) return [];
  return [required(`${field}.type`, emptyTypes[level])];
};

const invariants = (schema: JsonSchema, level: Level, field: string): FieldError[] => {
  const errors: FieldError[] = [];
  const { items, properties = {}, additionalProperties: rest } = schema;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (schema.type === 'array' && !items) errors.push(required(`${field}.items`, 'must be specified'));
  if (items) errors.push(...invariants(items, 'items', `${field}.items`));
  for (const [name, one] of Object.entries(properties))
    errors.push(...invariants(one, 'field', `${field}.properties[${name}]`));
  if (rest !== undefined && level === 'root')
    errors.push(forbidden(`${field}.additionalProperties`, 'must not be used at the root'));
  if (typeof rest === 'object') errors.push(...invariants(rest, 'field', `${field}.additionalProperties`));
  if (schema['x-kubernetes-int-or-string']) {
    const why = 'must be false if x-kubernetes-int-or-string is true';
    if (keepsUnknown) errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, true, why));
    if (isEmbedded) errors.push(invalid(`${field}.x-kubernetes-embedded-resource`, true, why));
  }
  errors.push(...valueErrors(schema, field), ...typeErrors(schema, level, field));
  if (isEmbedded && rest !== undefined)
    errors.push(
      forbidden(`${field}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  if (level === 'root' || isEmbedded) {
    for (const name of ['kind', 'apiVersion'])
      if (properties[name] && properties[name].type !== 'string')
        errors.push(invalid(`${field}.properties[${name}].type`, properties[name].type ?? '', 'must be string'));
    if (properties.metadata)
      errors.push(...metadataErrors(properties.metadata, `${field}.properties[metadata]`, level));
  }
  if (isEmbedded && !keepsUnknown && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${field}.properties`, why));
  }
  return errors;
};

/** Fields that a value validation restricts must exist outside of it. */
const completeness = (part: JsonSchema, schema: JsonSchema | undefined, at: string, from: string): FieldError[] => {
  if (!schema) return [required(at, `because it is defined in ${from}`)];
  return [
    ...partsOf(part, from).flatMap(([one, path]) => completeness(one, schema, at, path)),
    ...(part.items ? completeness(part.items, schema.items, `${at}.items`, `${from}.items`) : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, one]) => {
      const [to, path] = [`${at}.properties[${name}]`, `${from}.properties[${name}]`];
      return completeness(one, schema.properties?.[name], to, path);
    }),
  ];
};

const incomplete = (schema: JsonSchema, field: string): FieldError[] => [
  ...partsOf(schema, field).flatMap(([part, path]) => completeness(part, schema, field, path)),
  ...(schema.items ? incomplete(schema.items, `${field}.items`) : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => incomplete(one, `${field}.properties[${name}]`)),
  ...(typeof schema.additionalProperties === 'object'
    ? incomplete(schema.additionalProperties, `${field}.additionalProperties`)
    : []),
];

/** The faults of a schema that is not structural, sorted. */
export const structuralErrors = (schema: JsonSchema, field: string): FieldError[] =>
  [...invariants(schema, 'root', field), ...incomplete(schema, field)].sort((a, b) =>
    `${a.field}${a.reason}` < `${b.field}${b.reason}` ? -1 : 1,
  );
