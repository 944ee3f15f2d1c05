import { isObject } from '../../api/object.ts';
import type { JsonSchema } from '../../api/schema.ts';
import { setField } from '../json.ts';

const childOf = ({ properties = {}, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined => {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
};

/**
 * Puts back, in place, the nulls that a client applied where a value must not be null, so that
 * validation refuses them. Nulls that an apply left where it emptied something are not the client's.
 * `applied`: the value before its nulls were dropped.
 */
export const restoreNulls = (value: unknown, applied: unknown, config: unknown, schema: JsonSchema): void => {
  if (!isObject(value) || !isObject(applied) || !isObject(config)) return;
  for (const [name, own] of Object.entries(config)) {
    const child = childOf(schema, name);
    if (!child) continue;
    const isRefused = own === null && applied[name] === null && !child.nullable && child.default === undefined;
    if (isRefused && !Object.hasOwn(value, name)) setField(value, name, null);
    else restoreNulls(value[name], applied[name], own, child);
  }
};
