/** Equivalence classes: pods that every rule treats alike. Pure. */

import type { Claim, NodeSelectorTerm, Pod, PodShape, Snapshot } from './types.ts';
import { type Axes, requestVector, type Vector, volumeResource } from './vector.ts';

export type PodClass = {
  index: number;
  namespace: string;
  owner: string;
  shape: PodShape;
  priority: number;
  request: Vector;
  claims: readonly Claim[];
  /** Terms of its volumes, of which each list must admit the node. */
  topologies: readonly NodeSelectorTerm[][];
  /** Pods in deletion, which spread constraints do not count. */
  deleting: boolean;
};

export type Classes = { all: PodClass[]; of(pod: Pod): PodClass };

const claimsOf = ({ namespace, claims = [] }: Pod, { claims: known }: Snapshot): Claim[] =>
  claims.flatMap((name) => known[`${namespace}/${name}`] ?? []);

/** The requests of a pod with the attachments of its volumes, each of which takes a slot of the node. */
export const requestsOf = (pod: Pod, snapshot: Snapshot): PodShape['requests'] => {
  const drivers = claimsOf(pod, snapshot).flatMap(({ driver }) => driver ?? []);
  if (drivers.length === 0) return pod.shape.requests;
  const requests = { ...pod.shape.requests };
  for (const driver of drivers) requests[volumeResource(driver)] = (requests[volumeResource(driver)] ?? 0) + 1;
  return requests;
};

const ownerOf = ({ owner, name }: Pod): string => (owner ? `${owner.kind}/${owner.name}` : `Pod/${name}`);

/** Classifies pods as they come. Pods that share a shape object are compared by it first. */
export const classify = (snapshot: Snapshot, axes: Axes): Classes => {
  const texts = new WeakMap<PodShape, string>();
  const byKey = new Map<string, PodClass>();
  const textOf = (shape: PodShape): string => {
    const known = texts.get(shape);
    if (known !== undefined) return known;
    const text = JSON.stringify(shape);
    texts.set(shape, text);
    return text;
  };
  const keyOf = (pod: Pod): string => {
    // Pods without an owner are one group each, as they are reported one by one.
    const claims = pod.claims?.length ? JSON.stringify(claimsOf(pod, snapshot)) : '';
    return `${pod.namespace} ${ownerOf(pod)} ${pod.deleting ? 'deleting' : ''} ${claims} ${textOf(pod.shape)}`;
  };
  const all: PodClass[] = [];
  const of = (pod: Pod): PodClass => {
    const key = keyOf(pod);
    const known = byKey.get(key);
    if (known) return known;
    const claims = claimsOf(pod, snapshot);
    const made: PodClass = {
      index: all.length,
      namespace: pod.namespace,
      owner: ownerOf(pod),
      shape: pod.shape,
      priority: pod.shape.priority ?? 0,
      request: requestVector(axes, requestsOf(pod, snapshot)),
      claims,
      topologies: claims.flatMap(({ topology }) => (topology ? [topology] : [])),
      deleting: pod.deleting === true,
    };
    all.push(made);
    byKey.set(key, made);
    return made;
  };
  return { all, of };
};
