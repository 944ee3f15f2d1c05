/** Faults of a MachineDeployment's settings, together with those that its ScalingPlan adds. Pure. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { autoscale } from '../../common/autoscale/annotations.ts';
import {
  annotationsOf,
  contradictionsOf,
  entryFor,
  messageOfPlan,
  type PlanWithPools,
  withEntry,
} from '../../common/autoscale/plan-entry.ts';
import { invalidValue } from '../../common/validate.ts';
import { fieldOf, validateAutoscale } from './validate.ts';

/** `spec.pools[0].schedule[1].max` for the same field of the annotation; undefined for other annotations. */
export const fieldInEntry = (field: string, entry: string): string | undefined => {
  const found = Object.entries(autoscale).find(([, annotation]) => field.startsWith(fieldOf(annotation)));
  return found && `${entry}.${found[0]}${field.slice(fieldOf(found[1]).length)}`;
};

export const validatePool = (deployment: KubeObject, plan: PlanWithPools | undefined): FieldError[] => {
  const entry = entryFor(plan, deployment);
  if (!plan || !entry) return validateAutoscale(deployment);
  const { metadata } = deployment;
  const contradictions = contradictionsOf(entry, deployment);
  if (contradictions.length > 0)
    return contradictions.map((one) => {
      const detail = `${messageOfPlan(plan, metadata.name, one)}: keep one of the two`;
      return invalidValue(fieldOf(one.annotation), one.annotated, detail);
    });
  const planned = Object.keys(annotationsOf(entry)).filter((name) => metadata.annotations?.[name] === undefined);
  const isPlanned = ({ field }: FieldError) => planned.some((name) => field.startsWith(fieldOf(name)));
  return validateAutoscale(deployment, withEntry(deployment, entry)).map((fault) => {
    if (!isPlanned(fault)) return fault;
    const at = fieldInEntry(fault.field, `spec.pools[${metadata.name}]`);
    const detail = `contradict ScalingPlan ${plan.metadata.namespace}/${plan.metadata.name}, ${at}: ${fault.detail}`;
    return { ...fault, field: 'metadata.annotations', detail };
  });
};
