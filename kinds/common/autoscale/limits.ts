/** Annotations that limit how far pools are scaled up. Pure. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { dollarRule, parseDollars } from '../dollars.ts';
import { invalidValue } from '../validate.ts';
import { size } from './annotations.ts';

export const limitAnnotations = {
  /** Of a Cluster: all its Nodes. A Namespace limits its Machines. */
  nodes: 'capstan.dev/autoscale-max-nodes',
  /** Of a Cluster: of all its Nodes; of a Namespace: of all clusters with a pool that Capstan scales. */
  vCPU: 'capstan.dev/autoscale-max-vcpu',
  /** Of the pools that Capstan scales: of a Cluster, or of all clusters of a Namespace. */
  dollarsPerHour: 'capstan.dev/autoscale-max-dollars-per-hour',
} as const;

export type LimitName = keyof typeof limitAnnotations;

const forms = { nodes: size, vCPU: size, dollarsPerHour: { parse: parseDollars, rule: dollarRule } };

/** Undefined without the annotation, or if it is malformed, which admission rejects. */
export const annotatedLimit = (object: KubeObject | undefined, name: LimitName): number | undefined =>
  forms[name].parse(object?.metadata.annotations?.[limitAnnotations[name]] ?? '');

export const limitFaults = (name: LimitName, field: string, value: string): FieldError[] =>
  forms[name].parse(value) === undefined ? [invalidValue(field, value, forms[name].rule)] : [];
