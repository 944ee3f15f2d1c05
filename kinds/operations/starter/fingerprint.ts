/**
 * A short hash of everything that describes a cluster, which changes with the description. Pure.
 */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { digestOf } from '../../common/digest.ts';
import { givenSpec } from '../../common/filled.ts';
import { restoreFromOf, restoreWithoutOf } from '../../core/contract/origin.ts';

/**
 * Fields that users and autoscalers change while a cluster lives, and that do not make it another
 * cluster.
 */
const passing = ['replicas', 'paused'];

const meant = (object: KubeObject): JsonObject =>
  Object.fromEntries(Object.entries(givenSpec(object)).filter(([field]) => !passing.includes(field)));

/** A Cluster that begins with the state of another one. */
const begins = (object: KubeObject): JsonObject => {
  const from = object.kind === 'Cluster' ? restoreFromOf(object) : undefined;
  return from === undefined ? {} : { restoreFrom: from, without: restoreWithoutOf(object) };
};

/**
 * 16 hexadecimal digits, independent of the order of the objects. What fills in the spec of a `foreign`
 * one leaves no note, so that its name stands for it.
 */
export const fingerprintOf = (objects: readonly KubeObject[], foreign: readonly KubeObject[] = []): string => {
  const parts = objects.map((object) => ({
    kind: object.kind,
    name: object.metadata.name,
    spec: foreign.includes(object) ? {} : meant(object),
    ...begins(object),
  }));
  const sorted = parts.toSorted((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1));
  return digestOf(sorted);
};
