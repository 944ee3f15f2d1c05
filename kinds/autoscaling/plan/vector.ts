/** Resources as vectors over the names that pods request, so that fitting is arithmetic. Pure. */
import { ownValue } from '../../../machinery/api/labels.ts';
import type { Resources } from './types.ts';

export type Vector = Float64Array;

/** The positions of resource names in all vectors of a decision. `pods` is the first. */
export type Axes = readonly string[];
export const podsAxis = 0;

export const axesOf = (requests: Iterable<Resources>): Axes => {
  const names = new Set(['pods', 'cpu', 'memory']);
  for (const one of requests) for (const name in one) names.add(name);
  return [...names];
};

export const vectorOf = (axes: Axes, resources: Resources): Vector =>
  Float64Array.from(axes, (name) => ownValue(resources, name) ?? 0);

/** The resource of which each volume of a CSI driver takes one unit of its node. */
export const volumeResource = (driver: string): string => `attachable-volumes-csi-${driver}`;

/** What a node offers. A driver that reports no limit attaches any number of volumes. */
export const capacityVector = (axes: Axes, resources: Resources): Vector =>
  Float64Array.from(
    axes,
    (name) => ownValue(resources, name) ?? (name.startsWith(volumeResource('')) ? Number.POSITIVE_INFINITY : 0),
  );

/** The requests of one pod, which occupies one of the node's pod slots. */
export const requestVector = (axes: Axes, requests: Resources): Vector => {
  const vector = vectorOf(axes, requests);
  vector[podsAxis] = 1;
  return vector;
};

/** How many pods of these requests fit, at most `most`. A resource that is not requested never limits. */
export const timesFitting = (free: Vector, request: Vector, most: number): number => {
  let times = most;
  for (let axis = 0; axis < request.length && times > 0; axis++) {
    const amount = request[axis]!;
    if (amount > 0) times = Math.min(times, Math.floor(free[axis]! / amount));
  }
  return Math.max(0, times);
};

export const subtract = (free: Vector, request: Vector, times: number): void => {
  for (let axis = 0; axis < request.length; axis++) free[axis]! -= request[axis]! * times;
};

/** Names of the resources of which less is free than requested. */
export const lacking = (axes: Axes, free: Vector, request: Vector): string[] =>
  axes.filter((_, axis) => request[axis]! > 0 && request[axis]! > free[axis]!);
