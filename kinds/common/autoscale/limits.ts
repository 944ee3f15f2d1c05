/** Annotations that limit how far pools are scaled up. Pure. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { invalidValue } from '../validate.ts';
import { size } from './annotations.ts';

export const limitAnnotations = {
  /** Of a Cluster: all its Nodes. A Namespace limits its Machines. */
  nodes: 'capstan.dev/autoscale-max-nodes',
  /** Of a Cluster: of all its Nodes; of a Namespace: of all clusters with a pool that Capstan scales. */
  vCPU: 'capstan.dev/autoscale-max-vcpu',
} as const;

export type LimitName = keyof typeof limitAnnotations;

/** Undefined without the annotation, or if it is malformed, which admission rejects. */
export const annotatedLimit = (object: KubeObject | undefined, name: LimitName): number | undefined =>
  size.parse(object?.metadata.annotations?.[limitAnnotations[name]] ?? '');

export const limitFaults = (field: string, value: string): FieldError[] =>
  size.parse(value) === undefined ? [invalidValue(field, value, size.rule)] : [];
