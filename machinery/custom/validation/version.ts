/** Validates one version of a definition: its schema, subresources, columns and selectable fields. */

import { duplicate, forbidden, invalid, required, tooMany } from '../../api/faults.ts';
import type { Column, FieldError, ScalePaths } from '../../api/kind.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { labelFaults } from '../../api/webhook-faults.ts';
import type { DefinitionVersion } from '../definition.ts';
import { defaultsErrors } from './defaults.ts';
import { schemaAt } from './path.ts';
import { rootErrors, schemaErrors } from './schema.ts';
import { structuralErrors } from './structural.ts';

const schemaFaults = (schema: JsonSchema, hasStatus: boolean, field: string): FieldError[] => {
  const errors: FieldError[] = hasStatus ? rootErrors(schema, field) : [];
  if (schema.nullable) errors.push(forbidden(`${field}.nullable`, 'nullable cannot be true at the root'));
  const structure = structuralErrors(schema, field);
  const values = structure.length > 0 ? structure : defaultsErrors(schema, field);
  return [...errors, ...values, ...schemaErrors(schema, field, { isRoot: true, withRules: values.length === 0 })];
};

const pathErrors = (path: string, field: string): FieldError[] =>
  path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];

const scaleErrors = (scale: Partial<ScalePaths>, field: string): FieldError[] => {
  const at = (name: keyof ScalePaths, roots: readonly string[], where: string): FieldError[] => {
    const path = scale[name];
    const to = `${field}.scale.${name}`;
    if (!path) return name === 'labelSelectorPath' ? [] : [required(to)];
    const errors = pathErrors(path, to);
    if (errors.length > 0 || roots.some((root) => path.startsWith(root))) return errors;
    return [invalid(to, path, `should be a json path under ${where}`)];
  };
  return [
    ...at('specReplicasPath', ['.spec.'], '.spec'),
    ...at('statusReplicasPath', ['.status.'], '.status'),
    ...at('labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status'),
  ];
};

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

const columnErrors = ({ name, type, format, jsonPath }: Partial<Column>, field: string): FieldError[] => {
  const types = `must be one of ${columnTypes.join(',')}`;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.name`));
  if (!type) errors.push(required(`${field}.type`, types));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${field}.type`, type, types));
  if (format && !columnFormats.includes(format))
    errors.push(invalid(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`));
  if (!jsonPath) errors.push(required(`${field}.JSONPath`));
  else errors.push(...pathErrors(jsonPath, `${field}.JSONPath`));
  return errors;
};

/** The most selectable fields of a version. */
const mostSelectable = 8;

const selectableErrors = (fields: { jsonPath?: string }[], schema: JsonSchema, field: string): FieldError[] => {
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath }, i): FieldError[] => {
    const at = `${field}[${i}].jsonPath`;
    if (!jsonPath) return [required(at)];
    const found = schemaAt(jsonPath, schema, { lists: false });
    if ('fault' in found) return [invalid(at, jsonPath, `is an invalid path: ${found.fault}`)];
    const faults: FieldError[] = [];
    if (found.names[0] === 'metadata') faults.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? ''))
      faults.push(
        invalid(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    const path = found.names.join('.');
    if (seen.has(path)) faults.push(duplicate(at, jsonPath));
    seen.add(path);
    return faults;
  });
  return seen.size > mostSelectable ? [...errors, tooMany(field, seen.size, mostSelectable)] : errors;
};

const deprecationErrors = (
  { deprecated, deprecationWarning: text }: DefinitionVersion,
  field: string,
): FieldError[] => {
  const fault = (why: string) => invalid(`${field}.deprecationWarning`, text, why);
  if (text === undefined) return [];
  if (!deprecated) return [fault('can only be set for deprecated versions')];
  const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.exec(text);
  return [
    ...(text.length > 256 ? [fault('must be <= 256 characters long')] : []),
    ...(text === '' ? [fault('must not be an empty string')] : []),
    ...(unprintable
      ? [
          fault(
            `must only contain printable UTF-8 characters; non-printable character found at index ${unprintable.index}`,
          ),
        ]
      : []),
  ];
};

export const versionErrors = (version: DefinitionVersion, field: string): FieldError[] => {
  const { name = '', schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  const faults = labelFaults(name);
  const root = schema?.openAPIV3Schema;
  return [
    ...(faults.length > 0 ? [invalid(`${field}.name`, name, faults.join(','))] : []),
    ...deprecationErrors(version, field),
    ...(root ? schemaFaults(root, subresources?.status !== undefined, `${field}.schema.openAPIV3Schema`) : []),
    ...(subresources?.scale ? scaleErrors(subresources.scale, `${field}.subresources`) : []),
    ...additionalPrinterColumns.flatMap((column, i) => columnErrors(column, `${field}.additionalPrinterColumns[${i}]`)),
    ...(root && selectableFields.length > 0
      ? selectableErrors(selectableFields, root, `${field}.selectableFields`)
      : []),
  ];
};
