/** How schemas of variables are checked and applied to values. */

import type { Fit } from '../kinds/core/topology/variables.ts';
import type { FieldError } from '../machinery/api/kind.ts';
import { isObject, type JsonValue } from '../machinery/api/object.ts';
import type { JsonSchema } from '../machinery/api/schema.ts';
import { applyDefaults } from '../machinery/server/structural/default.ts';
import { pruneUnknown } from '../machinery/server/structural/prune.ts';
import { validateStructure } from '../machinery/server/structural/validate.ts';

export { variableSchemaErrors } from '../machinery/custom/validation/variable.ts';

/** Defaulting and validation begin at an object. */
const wrapped = (schema: JsonSchema): JsonSchema => ({ type: 'object', properties: { value: schema } });

/** Keywords that say nothing of values. */
const plain = (schema: JsonSchema): JsonSchema => {
  const {
    'x-metadata': _,
    example: __,
    ...rest
  } = schema as JsonSchema & { 'x-metadata'?: unknown; example?: unknown };
  return {
    ...rest,
    ...(rest.properties && {
      properties: Object.fromEntries(Object.entries(rest.properties).map(([name, one]) => [name, plain(one)])),
    }),
    ...(rest.items && { items: plain(rest.items) }),
    ...(isObject(rest.additionalProperties) && {
      additionalProperties: plain(rest.additionalProperties as JsonSchema),
    }),
  };
};

/** All faults of the value, and those of its transition: a value that a schema excludes now is no less wrong for being old. */
const faultsOf = (value: object, schema: JsonSchema, before: object | undefined): FieldError[] => {
  const faults = validateStructure(value, schema);
  const more = before ? validateStructure(value, schema, before) : [];
  const isKnown = (one: FieldError) => faults.some(({ field, detail }) => field === one.field && detail === one.detail);
  return [...faults, ...more.filter((one) => !isKnown(one))];
};

const unknownFields = (value: JsonValue, schema: JsonSchema): string[] =>
  pruneUnknown({ value: structuredClone(value) }, wrapped(schema), false).map((path) => path.replace(/^value\./, ''));

export const schemaFit: Fit = {
  filled: (value, schema) => {
    const object = { ...(value !== undefined && { value: structuredClone(value) }) };
    applyDefaults(object, wrapped(plain(schema)));
    return object.value;
  },
  faults: (value, schema, old) => {
    const own = plain(schema);
    const faults = faultsOf({ value }, wrapped(own), old === undefined ? undefined : { value: old }).map((fault) => ({
      ...fault,
      detail: fault.detail.replace(/^value in body /, ''),
    }));
    const unknown = faults.length > 0 ? [] : unknownFields(value, own);
    if (unknown.length === 0) return faults;
    const detail = `failed validation: "${unknown.join(',')}" field(s) are not specified in the variable schema`;
    return [{ reason: 'FieldValueInvalid', field: 'value', value: JSON.stringify(value), detail }];
  },
};
