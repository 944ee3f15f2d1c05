import { isObject } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { childPath } from '../json.ts';
import { metadataSchema } from '../metadata-schema.ts';

const embeddedFields = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Drops unknown fields in place, by a structural schema; returns their paths in order. Ignores the
 * object's own apiVersion, kind and metadata, and with `keepsMetadata` those of embedded objects.
 */
export const pruneUnknown = (
  object: unknown,
  schema: JsonSchema,
  isRoot = true,
  { keepsMetadata = false } = {},
): string[] => {
  const unknown: string[] = [];

  const walk = (value: unknown, of: JsonSchema, path: string, root: boolean): void => {
    const keeps = of['x-kubernetes-preserve-unknown-fields'] === true;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) {
        if (of.items) walk(item, of.items, `${path}[${i}]`, false);
        else if (!keeps) walk(item, {}, `${path}[${i}]`, false);
      }
      return;
    }
    if (!isObject(value)) return;
    const embedded = root || of['x-kubernetes-embedded-resource'] === true;
    for (const key of Object.keys(value)) {
      if (embedded && embeddedFields.has(key)) {
        if (key === 'metadata' && !root && !keepsMetadata)
          walk(value[key], metadataSchema, childPath(path, key), false);
        continue;
      }
      const child = of.properties && Object.hasOwn(of.properties, key) ? of.properties[key] : undefined;
      const rest = of.additionalProperties;
      if (child) walk(value[key], child, childPath(path, key), false);
      else if (typeof rest === 'object') walk(value[key], rest, childPath(path, key), false);
      else if (rest !== true && !keeps) {
        unknown.push(childPath(path, key));
        delete value[key];
      }
    }
  };

  walk(object, schema, '', isRoot);
  return unknown;
};
