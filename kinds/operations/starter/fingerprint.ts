/**
 * A short hash of everything that describes a cluster, which changes with the description. Pure.
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { givenSpec } from '../../common/filled.ts';

/**
 * Fields that users and autoscalers change while a cluster lives, and that do not make it another
 * cluster.
 */
const passing = ['replicas', 'paused'];

/** Sorts the fields of every object. */
const ordered = (value: JsonValue | undefined): JsonValue => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, ordered(field)]),
  );
};

const meant = (object: KubeObject): JsonObject =>
  Object.fromEntries(Object.entries(givenSpec(object)).filter(([field]) => !passing.includes(field)));

/** 16 hexadecimal digits, independent of the order of the objects. */
export const fingerprintOf = (objects: readonly KubeObject[]): string => {
  const parts = objects.map((object) => ({
    kind: object.kind,
    name: object.metadata.name,
    spec: ordered(meant(object)),
  }));
  const sorted = parts.toSorted((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
};
