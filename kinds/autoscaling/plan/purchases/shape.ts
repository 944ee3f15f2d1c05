/** Pods for which equal nodes are bought, of any owner. Pure. */
import { digestOf } from '../../../common/digest.ts';
import type { PodClass } from '../classes.ts';

const keys = new WeakMap<PodClass, string>();

const keyOf = ({ namespace, shape, topologies, claims }: PodClass): string => {
  // Labels differ by pod or revision, and matter to rules between pods only.
  const { labels: _, annotations: __, priority: ___, localVolumes: ____, ...required } = shape;
  const drivers = claims.flatMap(({ driver }) => driver ?? []).sort();
  const isBound = claims.some(({ unbound }) => unbound);
  const isRelated = Boolean(shape.spread ?? shape.affinity ?? shape.antiAffinity);
  return digestOf(JSON.parse(JSON.stringify([required, topologies, drivers, isBound, isRelated ? namespace : ''])));
};

/** Equal for pods that need equal nodes. */
export const shapeKey = (pod: PodClass): string => {
  const key = keys.get(pod) ?? keyOf(pod);
  keys.set(pod, key);
  return key;
};
