/**
 * Converts between two versions of a kind, by a list of the fields that differ. An annotation keeps
 * what the other version cannot hold, and restores it as long as the value in its place is
 * unchanged.
 */
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema, Schema } from '../../machinery/api/schema.ts';
import { fitTo } from './fit.ts';
import { type Loss, losses, putBack } from './losses.ts';

export const conversionData = 'cluster.x-k8s.io/conversion-data';

interface ConversionContext {
  namespace: string;
}
/**
 * How a value is written in the other version; undefined if it has no equivalent. Both directions
 * must accept any value.
 */
export interface Value {
  up: (value: JsonValue, context: ConversionContext) => JsonValue | undefined;
  down: (value: JsonValue, context: ConversionContext) => JsonValue | undefined;
  /** The rules of an object's fields, for conversions that keep what a document has besides values. */
  rules?: Rule[];
  /** How each item of a list is written. */
  item?: Value;
}
const asIs: Value = { up: (value) => value, down: (value) => value };

/**
 * A field and its path in the older and in the newer version. Paths are field names joined by dots.
 */
export interface Rule {
  older: string[];
  newer: string[];
  value: Value;
}
export const move = (older: string, newer: string, value: Value = asIs): Rule => ({
  older: older.split('.'),
  newer: newer.split('.'),
  value,
});
/** A field at the same path with another representation. */
export const change = (path: string, value: Value): Rule => move(path, path, value);
/** An object at the same path whose fields differ. */
export const inside = (path: string, rules: Rule[]): Rule => change(path, nested(rules));
/** A list at the same path of objects whose fields differ. */
export const inEach = (path: string, rules: Rule[]): Rule => change(path, eachOf(nested(rules)));

/** A value that is an object whose fields differ. */
export const nested = (rules: Rule[]): Value => ({
  rules,
  up: (value, context) => (isObject(value) ? applyRules(rules, value, 'up', context) : value),
  down: (value, context) => (isObject(value) ? applyRules(rules, value, 'down', context) : value),
});
export const eachOf = (item: Value): Value => {
  const all = (way: 'up' | 'down') => (value: JsonValue, context: ConversionContext) =>
    Array.isArray(value) ? value.map((one) => item[way](one, context)).filter((one) => one !== undefined) : value;
  return { item, up: all('up'), down: all('down') };
};

const take = (from: JsonObject, [field, ...rest]: string[]): JsonValue | undefined => {
  const value = from[field!];
  if (rest.length > 0) return isObject(value) ? take(value, rest) : undefined;
  delete from[field!];
  return value === null ? undefined : value;
};
const put = (into: JsonObject, [field, ...rest]: string[], value: JsonValue): void => {
  const there = into[field!];
  if (rest.length === 0) {
    into[field!] = isObject(there) && isObject(value) ? { ...there, ...value } : value;
    return;
  }
  const parent = isObject(there) ? there : {};
  into[field!] = parent;
  put(parent, rest, value);
};

// Removes all fields before it sets any: two fields may swap places.
const applyRules = (rules: Rule[], from: JsonObject, way: 'up' | 'down', context: ConversionContext): JsonObject => {
  const result = structuredClone(from);
  const [source, target] = way === 'up' ? (['older', 'newer'] as const) : (['newer', 'older'] as const);
  const taken = rules.map((rule) => ({ rule, value: take(result, rule[source]) }));
  for (const { rule, value } of taken) {
    const converted = value === undefined ? undefined : rule.value[way](value, context);
    if (converted !== undefined) put(result, rule[target], converted);
  }
  return result;
};

interface VersionOf {
  apiVersion: string;
  schema: JsonSchema;
}
export const versionOf = (apiVersion: string, parts: Record<string, Schema<unknown>>): VersionOf => ({
  apiVersion,
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(parts).map(([part, { json }]) => [part, json])),
  },
});
type Convert = (object: KubeObject) => KubeObject;

/**
 * Both directions of a kind's conversion. Total; fields without a rule are kept if both versions
 * have them. `apart` names an object that only the newer version has, and some of whose fields the
 * older version has elsewhere.
 */
export const conversion = (
  older: VersionOf,
  newer: VersionOf,
  rules: Rule[],
  apart?: string,
): { rules: Rule[]; toStorage: Convert; fromStorage: Convert } => {
  const naive =
    (way: 'up' | 'down', to: VersionOf): Convert =>
    (object) => {
      const { apiVersion: _, kind, metadata, ...body } = object;
      const context = { namespace: metadata.namespace ?? '' };
      const converted = applyRules(rules, body as JsonObject, way, context);
      return { apiVersion: to.apiVersion, kind, metadata, ...fitTo(to.schema, converted) };
    };
  const up = naive('up', newer);
  const down = naive('down', older);
  return { rules, toStorage: keepingLosses(up, down, apart), fromStorage: keepingLosses(down, up) };
};

/**
 * `convert` with losses: restores those of the previous conversion, and records what `back` cannot
 * represent.
 */
export const keepingLosses =
  (convert: Convert, back: Convert, apart?: string): Convert =>
  (object) => {
    const { bare, lost } = withoutData(object);
    const converted = putBack(convert(bare), lost, apart);
    const losing = losses(bodyOf(back(converted)), bodyOf(bare));
    return losing.length > 0 ? withData(converted, losing) : converted;
  };

const bodyOf = ({ apiVersion: _, kind: __, metadata: ___, ...body }: KubeObject): JsonObject => body as JsonObject;

const withoutData = (object: KubeObject): { bare: KubeObject; lost: Loss[] } => {
  const { [conversionData]: data, ...annotations } = object.metadata.annotations ?? {};
  if (data === undefined) return { bare: object, lost: [] };
  const { annotations: _, ...metadata } = object.metadata;
  const bare = {
    ...object,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
  };
  return { bare, lost: parseLosses(data) };
};
const withData = (object: KubeObject, lost: Loss[]): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [conversionData]: JSON.stringify(lost) },
  },
});

// Any client can write the annotation; entries in another format are dropped.
const parseLosses = (data: string): Loss[] => {
  try {
    const parsed: unknown = JSON.parse(data);
    return Array.isArray(parsed)
      ? parsed.filter((one): one is Loss => Array.isArray(one) && Array.isArray(one[0]))
      : [];
  } catch {
    return [];
  }
};
