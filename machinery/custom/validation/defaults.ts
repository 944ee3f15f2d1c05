/** The defaults of a schema must be values that the schema itself accepts and keeps. */

import { invalid } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { pruneUnknown } from '../../server/structural/prune.ts';
import { validateStructure } from '../../server/structural/validate.ts';

const defaultErrors = (schema: JsonSchema, field: string): FieldError[] => {
  const errors: FieldError[] = [];
  const pruned = structuredClone(schema.default);
  pruneUnknown(pruned, schema, false, { keepsMetadata: true });
  if (!equal(pruned, schema.default)) errors.push(invalid(field, schema.default, 'must not have unknown fields'));
  for (const error of validateStructure(schema.default, schema))
    errors.push({ ...error, field: error.field === '<nil>' ? field : `${field}${error.field && `.${error.field}`}` });
  return errors;
};

export const defaultsErrors = (schema: JsonSchema, field: string): FieldError[] => [
  ...(schema.default === undefined ? [] : defaultErrors(schema, `${field}.default`)),
  ...(schema.items ? defaultsErrors(schema.items, `${field}.items`) : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    defaultsErrors(one, `${field}.properties[${name}]`),
  ),
];
