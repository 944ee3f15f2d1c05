import { isObject } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { setField } from '../json.ts';

/**
 * Fills in the defaults of absent fields, in place. A null in a field that is not nullable is
 * replaced by the default, or removed.
 */
export const applyDefaults = (value: unknown, schema: JsonSchema): void => {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) applyDefaults(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const missing = !Object.hasOwn(value, name) || value[name] === undefined;
    const refusedNull = value[name] === null && !child.nullable;
    if (child.default !== undefined && (missing || refusedNull)) setField(value, name, structuredClone(child.default));
    else if (refusedNull) delete value[name];
    if (value[name] !== undefined) applyDefaults(value[name], child);
  }
  const rest = schema.additionalProperties;
  if (typeof rest !== 'object') return;
  for (const [name, item] of Object.entries(value)) {
    if (schema.properties && Object.hasOwn(schema.properties, name)) continue;
    const refusedNull = item === null && !rest.nullable;
    if (refusedNull && rest.default !== undefined) setField(value, name, structuredClone(rest.default));
    else if (refusedNull) delete value[name];
    applyDefaults(value[name], rest);
  }
};
