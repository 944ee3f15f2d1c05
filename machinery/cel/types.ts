/** Types of CEL from structural schemas, against which expressions are checked. */
import type { Environment } from '@marcbachmann/cel-js';
import type { JsonSchema } from '../api/schema.ts';
import { celFieldName } from './value.ts';

const formats: Record<string, string> = {
  date: 'google.protobuf.Timestamp',
  'date-time': 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  byte: 'bytes',
};

const scalars: Record<string, string> = { boolean: 'bool', integer: 'int', number: 'double', string: 'string' };

/** Registers the types of a schema under a name, and returns the type of its values. */
export const typeOf = (of: Environment, schema: JsonSchema, name: string): string => {
  const { type, properties, additionalProperties, items, format } = schema;
  if (schema['x-kubernetes-int-or-string'] || type === undefined) return 'dyn';
  if (type === 'array') return `list<${items ? typeOf(of, items, `${name}.item`) : 'dyn'}>`;
  if (type !== 'object') return (type === 'string' && format && formats[format]) || scalars[type]!;
  if (typeof additionalProperties === 'object')
    return `map<string, ${typeOf(of, additionalProperties, `${name}.value`)}>`;
  if (schema['x-kubernetes-embedded-resource'] || schema['x-kubernetes-preserve-unknown-fields']) return 'dyn';
  if (!properties || Object.keys(properties).length === 0) return 'dyn';
  const fields = Object.fromEntries(
    Object.entries(properties).map(([field, one]) => {
      const own = celFieldName(field);
      return [own, typeOf(of, one, `${name}.${own}`)];
    }),
  );
  of.registerType(name, { fields });
  return name;
};
