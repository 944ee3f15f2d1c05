/** Validates a value against a structural schema, with a Kubernetes API server's messages. */
import { RE2JS } from 're2js';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import { isObject } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { childPath } from '../json.ts';
import { hasRules, validateRules } from './cel.ts';
import { isFormat } from './format.ts';

type Report = (error: FieldError) => void;

const typeOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

const patterns = new Map<string, RE2JS | undefined>();
const patternOf = (text: string): RE2JS | undefined => {
  if (!patterns.has(text)) {
    try {
      patterns.set(text, RE2JS.compile(text));
    } catch {
      patterns.set(text, undefined);
    }
  }
  return patterns.get(text);
};

const matchesType = (value: unknown, schema: JsonSchema): boolean => {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || Number.isInteger(value);
  const type = typeOf(value);
  return schema.type === undefined || type === schema.type || (schema.type === 'number' && type === 'integer');
};

const invalid = (field: string, value: unknown, what: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail: `${field} in body ${what}`,
});

/** Lengths count characters; a character may take two UTF-16 units. */
const isLonger = (value: string, most: number) => value.length > most && [...value].length > most;
const isShorter = (value: string, least: number) => value.length < 2 * least && [...value].length < least;

const validateString = (value: string, schema: JsonSchema, field: string, report: Report): void => {
  if (schema.maxLength !== undefined && isLonger(value, schema.maxLength))
    report({ reason: 'FieldValueTooLong', field, value: '', detail: `may not be more than ${schema.maxLength} bytes` });
  else if (schema.minLength !== undefined && isShorter(value, schema.minLength))
    report(invalid(field, value, `should be at least ${schema.minLength} chars long`));
  else if (schema.pattern !== undefined && patternOf(schema.pattern)?.test(value) === false)
    report(invalid(field, value, `should match '${schema.pattern}'`));
  if (schema.format !== undefined && !isFormat(schema.format, value))
    report({
      ...invalid(field, value, `must be of type ${schema.format}: ${JSON.stringify(value)}`),
      reason: 'FieldValueTypeInvalid',
    });
};

const validateNumber = (value: number, schema: JsonSchema, field: string, report: Report): void => {
  if (schema.format === 'int32' && value !== (value | 0)) {
    const detail = `Checked value must be of type integer with format int32 in ${field}`;
    report({ reason: 'FieldValueInvalid', field: '<nil>', value: '', detail });
  }
  if (schema.maximum !== undefined && (schema.exclusiveMaximum ? value >= schema.maximum : value > schema.maximum))
    report(
      invalid(field, value, `should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${schema.maximum}`),
    );
  if (schema.minimum !== undefined && (schema.exclusiveMinimum ? value <= schema.minimum : value < schema.minimum))
    report(
      invalid(field, value, `should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${schema.minimum}`),
    );
  if (schema.multipleOf !== undefined && !Number.isInteger(value / schema.multipleOf))
    report(invalid(field, value, `should be a multiple of ${schema.multipleOf}`));
};

const present = (value: Record<string, unknown>): string[] =>
  Object.keys(value).filter((name) => value[name] !== undefined);

const validateLength = (value: unknown[], schema: JsonSchema, field: string, report: Report): void => {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    report(invalid(field, value.length, `should have at least ${schema.minItems} items`));
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    report({
      reason: 'FieldValueTooMany',
      field,
      value: value.length,
      detail: `must have at most ${schema.maxItems} items`,
    });
  if (schema.uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length)
    report(invalid(field, value, "shouldn't contain duplicates"));
};

const validateSize = (
  value: Record<string, unknown>,
  { minProperties, maxProperties }: JsonSchema,
  field: string,
  report: Report,
): void => {
  if (minProperties === undefined && maxProperties === undefined) return;
  const size = present(value).length;
  if (minProperties !== undefined && size < minProperties)
    report(invalid(field, size, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && size > maxProperties)
    report({ reason: 'FieldValueTooMany', field, value: size, detail: `must have at most ${maxProperties} items` });
};

/** Validates a value itself, apart from its content. */
const validateItself = (value: unknown, schema: JsonSchema, field: string, report: Report): void => {
  if (typeof value === 'string') validateString(value, schema, field, report);
  else if (typeof value === 'number') validateNumber(value, schema, field, report);
  else if (Array.isArray(value)) validateLength(value, schema, field, report);
  else if (isObject(value)) validateSize(value, schema, field, report);
};

/** The key values of a list-map item, or undefined when the item is no object. */
const keysOf = (item: unknown, schema: JsonSchema): Record<string, unknown> | undefined => {
  if (!isObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(
    keys
      .map((key) => [key, item[key] ?? schema.items?.properties?.[key]?.default] as const)
      .filter(([, value]) => value !== undefined),
  );
};

/** The old list's item that a new item continues: only list-map items have an identity. */
const correlate = (item: unknown, old: unknown, schema: JsonSchema): unknown => {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const identity = keysOf(item, schema);
  return identity && old.find((other) => equal(keysOf(other, schema), identity));
};

/** The items of a list-map are the same in another order, which is no change. */
const isReordered = (value: unknown, old: unknown, schema: JsonSchema): boolean =>
  schema['x-kubernetes-list-type'] === 'map' &&
  Array.isArray(value) &&
  Array.isArray(old) &&
  value.length === old.length &&
  value.every((item) => equal(correlate(item, old, schema), item));

const validateItems = (value: unknown[], schema: JsonSchema, field: string, old: unknown, report: Report): void => {
  if (!schema.items) return;
  for (const [i, item] of value.entries())
    walk(item, schema.items, `${field}[${i}]`, correlate(item, old, schema), report);
};

/** The version is that of the request, whatever the object was stored in. */
const isOfRoot = (field: string, name: string): boolean => field === '' && (name === 'apiVersion' || name === 'kind');

const validateIdentity = (value: Record<string, unknown>, { properties = {} }: JsonSchema, report: Report): void => {
  for (const name of ['apiVersion', 'kind'])
    if (properties[name] && value[name] !== undefined) walk(value[name], properties[name], name, undefined, report);
};

const validateFields = (
  value: Record<string, unknown>,
  schema: JsonSchema,
  field: string,
  old: unknown,
  report: Report,
): void => {
  const fields = present(value);
  for (const name of schema.required ?? [])
    if (!fields.includes(name)) report({ reason: 'FieldValueRequired', field: childPath(field, name), detail: '' });
  for (const name of fields) {
    const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const child = known ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    const before = isObject(old) && Object.hasOwn(old, name) && !isOfRoot(field, name) ? old[name] : undefined;
    if (child) walk(value[name], child, childPath(field, name), before, report);
  }
};

const silent = (look: (report: Report) => void): boolean => {
  let sound = true;
  look(() => {
    sound = false;
  });
  return sound;
};
const faultless = (value: unknown, schema: JsonSchema): boolean =>
  silent((report) => walk(value, schema, '', undefined, report));

const validateCombinations = (value: unknown, schema: JsonSchema, field: string, report: Report): void => {
  const fails = (what: string) =>
    report({ reason: 'FieldValueInvalid', field: '<nil>', value: '', detail: `${JSON.stringify(field)} ${what}` });
  for (const part of schema.allOf ?? []) walk(value, part, field, undefined, report);
  if (schema.anyOf && !schema['x-kubernetes-int-or-string'] && !schema.anyOf.some((part) => faultless(value, part)))
    fails('must validate at least one schema (anyOf)');
  if (schema.oneOf) {
    const matching = schema.oneOf.filter((part) => faultless(value, part)).length;
    if (matching !== 1)
      fails(
        `must validate one and only one schema (oneOf). Found ${matching ? `${matching} valid alternatives` : 'none valid'}`,
      );
  }
  if (schema.not && faultless(value, schema.not)) fails('must not validate the schema (not)');
};

/**
 * An int-or-string lists its two types in anyOf; Kubernetes then reports the first of them again.
 */
const reportAlternatives = (schema: JsonSchema, field: string, found: string, report: Report): void => {
  const first = schema.anyOf?.[0]?.type;
  if (!first) return;
  const none = `${JSON.stringify(field)} must validate at least one schema (anyOf)`;
  report({ reason: 'FieldValueInvalid', field: '<nil>', value: '', detail: none });
  const detail = `${field} in body must be of type ${first}: ${JSON.stringify(found)}`;
  report({ reason: 'FieldValueTypeInvalid', field, value: found, detail });
};

const validateChoice = (value: unknown, schema: JsonSchema, field: string, report: Report): void => {
  if (!schema.enum || schema.enum.some((allowed) => equal(allowed, value))) return;
  const allowed = schema.enum.map((item) => JSON.stringify(item)).join(', ');
  report({ reason: 'FieldValueNotSupported', field, value, detail: `supported values: ${allowed}` });
};

/** Whether a value is valid by itself, apart from fields and items. */
export const isSoundItself = (value: unknown, schema: JsonSchema): boolean =>
  matchesType(value, schema) &&
  silent((report) => {
    validateChoice(value, schema, '', report);
    validateItself(value, schema, '', report);
    validateCombinations(value, schema, '', report);
  });

function walk(value: unknown, schema: JsonSchema, field: string, old: unknown, report: Report): void {
  if (value === null && schema.nullable) return;
  // An unchanged value is accepted on update, even if the schema became stricter since.
  if (old !== undefined && (equal(value, old) || isReordered(value, old, schema))) {
    if (field === '' && isObject(value)) validateIdentity(value, schema, report);
    return;
  }
  const typed = matchesType(value, schema);
  if (!typed) {
    const wanted = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type;
    const found = typeOf(value);
    const detail = `${field ? `${field} in body` : ' in body'} must be of type ${wanted}: ${JSON.stringify(found)}`;
    report({ reason: 'FieldValueTypeInvalid', field, value: found, detail });
    if (schema['x-kubernetes-int-or-string']) reportAlternatives(schema, field, found, report);
  }
  validateChoice(value, schema, field, report);
  if (!typed) return;
  validateItself(value, schema, field, report);
  if (Array.isArray(value)) validateItems(value, schema, field, old, report);
  else if (isObject(value)) validateFields(value, schema, field, old, report);
  validateCombinations(value, schema, field, report);
}

const identitiesOf = (list: unknown[], schema: JsonSchema, field: string, report: Report): unknown[] => {
  if (schema['x-kubernetes-list-type'] === 'set') return list;
  return list.map((item, i) => {
    const detail = 'must be an object for an array of list-type map';
    if (!isObject(item)) report({ reason: 'FieldValueInvalid', field: `${field}[${i}]`, value: item, detail });
    return keysOf(item, schema);
  });
};

/** Items of sets and keys of list-maps must be unique. */
const validateUniqueness = (value: unknown, schema: JsonSchema, field: string, report: Report): void => {
  if (Array.isArray(value)) {
    const type = schema['x-kubernetes-list-type'];
    if (type === 'set' || type === 'map') {
      const seen = new Map<string, number>();
      for (const [i, identity] of identitiesOf(value, schema, field, report).entries()) {
        const text = JSON.stringify(identity);
        const times = (seen.get(text) ?? 0) + 1;
        seen.set(text, times);
        if (times === 2 && identity !== undefined)
          report({ reason: 'FieldValueDuplicate', field: `${field}[${i}]`, value: identity, detail: '' });
      }
    }
    if (schema.items)
      for (const [i, item] of value.entries()) validateUniqueness(item, schema.items, `${field}[${i}]`, report);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
      if (known) validateUniqueness(item, known, childPath(field, name), report);
      else if (rest) validateUniqueness(item, rest, `${field}[${name}]`, report);
    }
  }
};

/** Faults of structure, which prevent rules from being evaluated. */
const blocking = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const rulesSkipped: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Faults found by other validations, in their order. */
export interface OtherFaults {
  before?: FieldError[];
  after?: FieldError[];
}

/**
 * Faults of a whole object; with `old`, unchanged fields are accepted and transition rules apply.
 * Rules run last, and only when no other validation finds the object malformed.
 */
export const validateStructure = (
  object: unknown,
  schema: JsonSchema,
  old?: unknown,
  { before = [], after = [] }: OtherFaults = {},
): FieldError[] => {
  const errors: FieldError[] = [...before];
  const report = (error: FieldError) => errors.push(error);
  walk(object, schema, '', old, report);
  // A list that was ambiguous before may stay so, in whole or in part.
  const wasUnique = old === undefined || silent((before) => validateUniqueness(old, schema, '', before));
  if (wasUnique) validateUniqueness(object, schema, '', report);
  errors.push(...after);
  if (!hasRules(schema)) return errors;
  if (errors.some(({ reason }) => blocking.has(reason))) return [...errors, rulesSkipped];
  return [...errors, ...validateRules(object, schema, old)];
};
