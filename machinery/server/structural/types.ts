import { isObject } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { childPath } from '../json.ts';

const goTypes: Record<string, string> = { boolean: 'bool', number: 'float64', string: 'string', array: 'list' };

const goType = (schema: JsonSchema, owner: string): string => {
  if (schema.type === 'integer') return schema.format === 'int32' ? 'int32' : 'int64';
  if (schema.type === 'object')
    return typeof schema.additionalProperties === 'object'
      ? `map[string]${goType(schema.additionalProperties, owner)}`
      : `v1.${owner}`;
  if (schema.type === 'array') return `[]${goType(schema.items ?? {}, owner)}`;
  return goTypes[schema.type ?? ''] ?? 'object';
};

const fits = (value: unknown, { type }: JsonSchema): boolean => {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
    case 'number':
      return typeof value === 'number' && (type === 'number' || Number.isInteger(value));
    case 'string':
    case 'boolean':
      return typeof value === type;
    case undefined:
      return true;
  }
};

const jsonType = (value: unknown): string => {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : `number ${value}`;
  return Array.isArray(value) ? 'array' : typeof value;
};

const base64Fault = (text: string): string | undefined => {
  const packed = text.replace(/[\r\n]/g, '');
  const strange = packed.search(/[^A-Za-z0-9+/=]|=(?!=?$)/);
  const incomplete = packed.length % 4 === 0 ? -1 : packed.length - (packed.length % 4);
  const at = strange >= 0 ? strange : incomplete;
  return at >= 0 ? `illegal base64 data at input byte ${at}` : undefined;
};

const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
export const isDateTime = (text: string): boolean => dateTime.test(text) && !Number.isNaN(Date.parse(text));

const timeFault = (text: string): string | undefined =>
  isDateTime(text)
    ? undefined
    : `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)}`;

/**
 * The first value that does not fit its typed field, as Go's decoder reports it for the struct
 * `owner`; undefined when all fit. Built-in kinds, and the metadata of all kinds, refuse wrong
 * types this way.
 */
export const typeMismatch = (value: unknown, schema: JsonSchema, path: string, owner: string): string | undefined => {
  if (value === null || value === undefined || schema['x-kubernetes-int-or-string']) return undefined;
  if (!fits(value, schema)) {
    const field = path ? ` Go struct field ${owner}.${path.replace(/\[\d+\]/g, '')}` : ' Go value';
    return `json: cannot unmarshal ${jsonType(value)} into${field} of type ${goType(schema, owner)}`;
  }
  if (schema.format === 'byte') return base64Fault(value as string);
  if (schema.format === 'date-time') return timeFault(value as string);
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const found = typeMismatch(item, schema.items ?? {}, `${path}[${i}]`, owner);
      if (found) return found;
    }
  } else if (isObject(value)) {
    for (const [name, field] of Object.entries(value)) {
      const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
      const found = known
        ? typeMismatch(field, known, childPath(path, name), owner)
        : rest && typeMismatch(field, rest, path, owner);
      if (found) return found;
    }
  }
  return undefined;
};
