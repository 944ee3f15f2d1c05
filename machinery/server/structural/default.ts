import type { JsonSchema } from '../../api/schema.ts';
import { isObject, setField } from '../json.ts';

/** A field that takes anything takes null, too. */
const hasNoType = (schema: JsonSchema): boolean =>
  schema.type === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true;

/**
 * Fills in, in place, the defaults of absent fields. A null that the field does not allow gives way to its default, or to
 * nothing.
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
    else if (refusedNull && !hasNoType(child)) delete value[name];
    if (value[name] !== undefined) applyDefaults(value[name], child);
  }
  const rest = schema.additionalProperties;
  if (typeof rest !== 'object') return;
  for (const [name, item] of Object.entries(value)) {
    if (schema.properties && Object.hasOwn(schema.properties, name)) continue;
    if (item === null && rest.default !== undefined && !rest.nullable)
      setField(value, name, structuredClone(rest.default));
    applyDefaults(value[name], rest);
  }
};
