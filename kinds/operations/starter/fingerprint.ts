/** What users gave about a cluster, as one short text that changes when it does. Pure. */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { givenSpec } from '../../common/filled.ts';

/** Changed while a cluster lives, by people and by autoscalers, without another cluster being meant. */
const passing = ['replicas', 'paused'];

/** With the fields of every object in one order. */
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

/** 16 hexadecimal digits, whatever the order of the objects. */
export const fingerprintOf = (objects: readonly KubeObject[]): string => {
  const parts = objects.map((object) => ({
    kind: object.kind,
    name: object.metadata.name,
    spec: ordered(meant(object)),
  }));
  const sorted = parts.toSorted((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
};
