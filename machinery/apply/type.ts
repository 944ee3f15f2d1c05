/**
 * How the nodes of a schema merge: what kube-openapi's schemaconv makes of a structural schema, or
 * of a built-in kind's.
 */
import type { JsonSchema } from '../api/schema.ts';
import { metadataSchema } from '../server/metadata-schema.ts';

export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  /** Owned as a whole. Others are sets of values or, with keys, of objects. */
  isAtomic: boolean;
  keys: readonly string[];
  item: MergeType;
}

export interface Field {
  type: MergeType;
  default: unknown;
}

export interface MapType {
  /** Owned as a whole. */
  isAtomic: boolean;
  fields: ReadonlyMap<string, Field>;
  /** Of undeclared keys; without it they are errors. */
  rest: MergeType | undefined;
}

/** The forms that a value may take; which one applies is told by the value. */
export interface MergeType {
  scalar?: Scalar;
  list?: ListType;
  map?: MapType;
}

const noFields: ReadonlyMap<string, Field> = new Map();

/** Values without a schema inside atomic ones. */
const untyped: MergeType = { scalar: 'untyped' };
untyped.list = { isAtomic: true, keys: [], item: untyped };
untyped.map = { isAtomic: true, fields: noFields, rest: untyped };

/** Values without a schema: maps are granular, lists atomic. */
export const deduced: MergeType = { scalar: 'untyped', list: untyped.list };
deduced.map = { isAtomic: false, fields: noFields, rest: deduced };

/** A map of values without a schema. Changes between atomic and granular are not followed there. */
export const isDeducedMap = ({ fields, rest }: MapType): boolean =>
  fields.size === 0 && rest !== untyped && rest?.scalar === 'untyped';

const scalarOf = (schema: JsonSchema): Scalar => {
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return 'numeric';
  return !schema.format || schema.format === 'byte' ? 'string' : 'untyped';
};

const relationOf = (schema: JsonSchema): Pick<ListType, 'isAtomic' | 'keys'> => {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'map') return { isAtomic: false, keys: schema['x-kubernetes-list-map-keys'] ?? [] };
  if (listType) return { isAtomic: listType !== 'set', keys: [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  const isMerged = /^merge($|,)/.test(schema['x-kubernetes-patch-strategy'] ?? '');
  return { isAtomic: !isMerged, keys: isMerged && key !== undefined ? [key] : [] };
};

const listOf = (schema: JsonSchema, keepsUnknown: boolean): ListType => ({
  ...relationOf(schema),
  item: schema.items ? typeOf(schema.items, keepsUnknown) : untyped,
});

const text: Field = { type: { scalar: 'string' }, default: undefined };

const additionalOf = (schema: JsonSchema, hasFields: boolean, keepsUnknown: boolean): MergeType | undefined => {
  const rest = schema.additionalProperties;
  if (typeof rest === 'object') return typeOf(rest, keepsUnknown);
  if (rest !== undefined) return rest ? deduced : undefined;
  return keepsUnknown || !hasFields ? deduced : undefined;
};

const mapOf = (schema: JsonSchema, keepsUnknown: boolean, isObject: boolean): MapType => {
  const fields = new Map<string, Field>();
  for (const [name, of] of Object.entries(schema.properties ?? {}))
    fields.set(name, { type: typeOf(of, keepsUnknown), default: of.default });
  if (isObject || schema['x-kubernetes-embedded-resource']) {
    fields.set('apiVersion', text);
    fields.set('kind', text);
    fields.set('metadata', { type: metadataType(), default: undefined });
  }
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    rest: additionalOf(schema, fields.size > 0, keepsUnknown),
  };
};

const typeOf = (schema: JsonSchema, inherited: boolean, isObject = false): MergeType => {
  const keepsUnknown = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case undefined:
      return {
        scalar: 'untyped',
        list: listOf(schema, keepsUnknown),
        map: mapOf(schema, keepsUnknown, isObject),
      };
    case 'object':
      return { map: mapOf(schema, keepsUnknown, isObject) };
    case 'array':
      return { list: listOf(schema, keepsUnknown) };
    default:
      return { scalar: scalarOf(schema) };
  }
};

let metadata: MergeType | undefined;
const metadataType = (): MergeType => {
  metadata ??= typeOf(metadataSchema, false);
  return metadata;
};

const known = new WeakMap<JsonSchema, MergeType>();

/** The type of a kind's objects, by the schema of one version. */
export const mergeTypeOf = (schema: JsonSchema): MergeType => {
  const seen = known.get(schema);
  if (seen) return seen;
  const type = typeOf(schema, false, true);
  known.set(schema, type);
  return type;
};

export type Form = 'map' | 'scalar' | 'list';
const forms = ['map', 'scalar', 'list'] as const;

/** The form of a value that its type permits; undefined for null, an absent value and a misfit. */
export const ownForm = (type: MergeType, value: unknown): Form | undefined => {
  switch (typeof value) {
    case 'object':
      if (value === null) return undefined;
      if (Array.isArray(value)) return type.list && 'list';
      return type.map && 'map';
    case 'undefined':
      return undefined;
    default:
      return type.scalar && 'scalar';
  }
};

/** The form as which a value is treated: its own, or else the first of its type's. */
export const formOf = (type: MergeType, value: unknown): Form | undefined =>
  ownForm(type, value) ?? forms.find((form) => type[form] !== undefined);

/** The forms as which two values are treated: two where each fits another one. */
export const sharedForms = (type: MergeType, left: unknown, right: unknown): (Form | undefined)[] => {
  if (right === undefined) return [formOf(type, left)];
  const own = formOf(type, right);
  if (left === undefined) return [own];
  const onlyForm = forms.filter((form) => type[form] !== undefined).length === 1;
  if (onlyForm || ownForm(type, left) === ownForm(type, right)) return [own];
  return [formOf(type, left), own];
};

/** Of the value of a map's key; undefined when it is undeclared. */
export const fieldType = (type: MapType, key: string): MergeType | undefined => type.fields.get(key)?.type ?? type.rest;
