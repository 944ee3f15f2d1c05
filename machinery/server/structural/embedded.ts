/** Objects within an object, at nodes with `x-kubernetes-embedded-resource`: they have metadata of their own. */

import { invalid, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { isObject, type ObjectMeta } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { labelFaults } from '../../api/webhook-faults.ts';
import { childPath } from '../json.ts';
import { embeddedMetadataErrors } from '../metadata.ts';
import { metadataSchema } from '../metadata-schema.ts';
import { typeMismatch } from './types.ts';

type Embedded = Record<string, unknown>;

const marked = new WeakMap<JsonSchema, boolean>();
const childrenOf = ({ properties = {}, items, additionalProperties }: JsonSchema): JsonSchema[] => [
  ...Object.values(properties),
  ...(items ? [items] : []),
  ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
];
const isEmbedded = (schema: JsonSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;
const contains = (schema: JsonSchema): boolean => {
  let known = marked.get(schema);
  if (known === undefined) {
    known = isEmbedded(schema) || childrenOf(schema).some(contains);
    marked.set(schema, known);
  }
  return known;
};

/** All objects within the value, each before those within it. */
const embeddedIn = function* (value: unknown, schema: JsonSchema, path: string): Generator<[Embedded, string]> {
  if (!contains(schema)) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* embeddedIn(item, schema.items ?? {}, `${path}[${i}]`);
    return;
  }
  if (!isObject(value)) return;
  if (isEmbedded(schema)) yield [value, path];
  for (const [name, item] of Object.entries(value)) {
    const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    if (known) yield* embeddedIn(item, known, childPath(path, name));
    else if (rest) yield* embeddedIn(item, rest, `${path}[${name}]`);
  }
};

/** Why the metadata of an object within the value cannot be read; undefined if all can. */
export const embeddedMismatch = (value: unknown, schema: JsonSchema): string | undefined => {
  for (const [embedded, path] of embeddedIn(value, schema, '')) {
    for (const name of ['apiVersion', 'kind'])
      if (embedded[name] !== undefined && typeof embedded[name] !== 'string')
        return `${path}.${name}: Invalid value: ${JSON.stringify(embedded[name])}: must be a string`;
    const mismatch = typeMismatch(embedded.metadata, metadataSchema, '', 'ObjectMeta');
    if (mismatch) return `${path}.metadata: Invalid value: ${JSON.stringify(embedded.metadata)}: ${mismatch}`;
  }
  return undefined;
};

const versionFaults = (field: string, text: string): FieldError[] => {
  if (text === '') return [invalid(field, text, 'must not be empty')];
  return text.split('/').length > 2 ? [invalid(field, text, `unexpected GroupVersion string: ${text}`)] : [];
};

const kindFaults = (field: string, text: string): FieldError[] => {
  if (text === '') return [invalid(field, text, 'must not be empty')];
  const faults = labelFaults(text.toLowerCase());
  return faults.length === 0
    ? []
    : [invalid(field, text, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
};

/** Faults of the identity and metadata of objects within the value. */
export const embeddedErrors = (value: unknown, schema: JsonSchema): FieldError[] =>
  [...embeddedIn(value, schema, '')].flatMap(([{ apiVersion, kind, metadata }, path]) => [
    ...(apiVersion === undefined
      ? [required(`${path}.apiVersion`)]
      : versionFaults(`${path}.apiVersion`, String(apiVersion))),
    ...(kind === undefined ? [required(`${path}.kind`)] : kindFaults(`${path}.kind`, String(kind))),
    ...(isObject(metadata) ? embeddedMetadataErrors(metadata as unknown as ObjectMeta, path) : []),
  ]);
