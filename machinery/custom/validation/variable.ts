/** Validates the schema of a variable, whose type may be any. */

import { invalid } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { defaultsErrors } from './defaults.ts';
import { schemaErrors } from './schema.ts';

const examplesErrors = (schema: JsonSchema, field: string, check: (value: unknown, at: string) => FieldError[]) =>
  (schema.enum ?? []).flatMap((value, i) => check(value, `${field}.enum[${i}]`));

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean'];

/** `field`: where the schema is. */
export const variableSchemaErrors = (schema: JsonSchema, field: string): FieldError[] => {
  if (
    schema.type === undefined &&
    !schema['x-kubernetes-int-or-string'] &&
    !schema['x-kubernetes-preserve-unknown-fields']
  )
    return [
      { reason: 'FieldValueRequired', field: `${field}.type`, detail: 'must not be empty for specified object fields' },
    ];
  const errors = schemaErrors(schema, field, { withRules: true });
  if (errors.length > 0) return errors;
  const ofType = ({ type }: JsonSchema): ((value: unknown) => boolean) => {
    switch (type) {
      case 'string':
      case 'boolean':
        return (value) => typeof value === type;
      case 'integer':
        return Number.isInteger;
      case 'number':
        return (value) => typeof value === 'number';
      default:
        return () => true;
    }
  };
  const fits = ofType(schema);
  return [
    ...defaultsErrors(schema, field),
    ...examplesErrors(schema, field, (value, at) =>
      value === null || fits(value) || !types.includes(schema.type ?? '')
        ? []
        : [invalid(at, value, `must be of type ${schema.type}`)],
    ),
  ];
};
