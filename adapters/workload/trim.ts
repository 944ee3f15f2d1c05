/** Trims objects to the fields that a reader needs. */
import type { KubeObject } from '../../machinery/api/object.ts';

/** Fields to keep: whole, or with what is kept below them. */
type Fields = Map<string, Fields | 'whole'>;

const add = (fields: Fields, [field = '', ...below]: string[]): void => {
  const known = fields.get(field);
  if (known === 'whole') return;
  if (below.length === 0) {
    fields.set(field, 'whole');
    return;
  }
  const inner: Fields = known ?? new Map();
  fields.set(field, inner);
  add(inner, below);
};

const pick = (value: unknown, fields: Fields | 'whole'): unknown => {
  if (fields === 'whole' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, fields));
  const kept = [...fields].filter(([field]) => Object.hasOwn(value, field));
  return Object.fromEntries(
    kept.map(([field, below]) => [field, pick((value as Record<string, unknown>)[field], below)]),
  );
};

const always = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'];

/** A function that keeps the fields at these paths, and the kind and name, of an object. */
export const trimTo = (paths: readonly string[]): ((object: KubeObject) => KubeObject) => {
  const fields: Fields = new Map();
  for (const path of [...always, ...paths]) add(fields, path.split('.'));
  return (object) => pick(object, fields) as KubeObject;
};
