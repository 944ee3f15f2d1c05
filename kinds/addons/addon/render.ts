/** Fills in the values of an add-on's manifests. Pure. */
import { createHash } from 'node:crypto';
import { jsonPath } from '../../../machinery/api/json-path.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { AddonSpec, AddonStatus } from './schema.ts';

export type ObjectId = NonNullable<AddonStatus['inventory']>[number];

export const idOf = (object: JsonObject): ObjectId => {
  const { apiVersion, kind, metadata } = object as JsonObject & KubeObject;
  return { apiVersion, kind, name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
};
const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.split('/')[0]! : '');
/** One object may be named in several versions. */
export const sameObject =
  (a: ObjectId) =>
  (b: ObjectId): boolean =>
    a.kind === b.kind &&
    a.name === b.name &&
    (a.namespace ?? 'default') === (b.namespace ?? 'default') &&
    groupOf(a.apiVersion) === groupOf(b.apiVersion);

export const filledIn = (value: JsonValue, values: Values): JsonValue => {
  if (typeof value === 'string')
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (text, name: string) => values.get(name) ?? text);
  if (Array.isArray(value)) return value.map((one) => filledIn(one, values));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, one === undefined ? one : filledIn(one, values)]),
  );
};

/** What is to be installed. */
export interface Wanted {
  ids: ObjectId[];
  /** Absent while nothing of it is to be applied. */
  objects?: JsonObject[];
  revision: string;
}

export const revisionOf = (made: unknown): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(made)).digest('hex')}`;

export const wantedFrom = (objects: JsonObject[], revision = revisionOf(objects)): Wanted => ({
  ids: objects.map(idOf),
  objects,
  revision,
});

export type Values = ReadonlyMap<string, string>;

/** The values of the cluster, or why one has none. */
export const valuesOf = (
  substitutions: AddonSpec['substitutions'] = [],
  cluster: KubeObject,
): Values | { fault: string } => {
  const values = new Map<string, string>();
  for (const { name, value, fromCluster } of substitutions) {
    const [found] = fromCluster === undefined ? [value] : jsonPath(fromCluster, cluster);
    if (found === undefined || typeof found === 'object')
      return { fault: `substitution ${name}: ${fromCluster} leads to no value of Cluster ${cluster.metadata.name}` };
    values.set(name, String(found));
  }
  return values;
};
