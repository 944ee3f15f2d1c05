/** Faults of `spec.pools`, alone and together with the annotations of the MachineDeployments. Pure. */
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sizeAnnotations } from '../../common/autoscale/annotations.ts';
import {
  annotationsOf,
  contradictionsOf,
  entryFor,
  messageOfAnnotation,
  type PoolEntry,
  withEntry,
} from '../../common/autoscale/plan-entry.ts';
import { invalidValue, requiredField } from '../../common/validate.ts';
import { fieldOf, optionFaults } from '../settings/validate.ts';
import { fieldInEntry } from '../settings/validate-pool.ts';
import type { ScalingPlan } from './schema.ts';

const sizeFaults = ({ min, max }: PoolEntry, at: string): FieldError[] => {
  if (min === undefined && max === undefined) return [];
  const absent = min === undefined ? 'min' : 'max';
  if (min === undefined || max === undefined)
    return [requiredField(`${at}.${absent}`, 'min and max must be set together')];
  return max < min ? [invalidValue(`${at}.max`, max, 'must be greater than or equal to min')] : [];
};

const ownFaults = (plan: ScalingPlan, entry: PoolEntry, at: string): FieldError[] => {
  const { apiVersion, kind } = plan;
  const annotated = { apiVersion, kind, metadata: { name: entry.name, annotations: annotationsOf(entry) } };
  const faults = optionFaults(annotated).map((fault) => ({ ...fault, field: fieldInEntry(fault.field, at) ?? at }));
  return [...sizeFaults(entry, at), ...faults];
};

const faultsWith = (deployment: KubeObject, entry: PoolEntry, at: string): FieldError[] => {
  const contradictions = contradictionsOf(entry, deployment);
  if (contradictions.length > 0)
    return contradictions.map((one) =>
      invalidValue(`${at}.${one.setting}`, one.planned, `${messageOfAnnotation(deployment, one)}: keep one of the two`),
    );
  const whole = withEntry(deployment, entry);
  if (!sizeAnnotations(whole)) return [];
  const { namespace, name } = deployment.metadata;
  const planned = Object.keys(annotationsOf(entry));
  const isPlanned = ({ field }: FieldError) => planned.some((annotation) => field.startsWith(fieldOf(annotation)));
  return optionFaults(whole).map((fault) => {
    const contradicts = `contradicts MachineDeployment ${namespace}/${name}`;
    return isPlanned(fault)
      ? { ...fault, field: fieldInEntry(fault.field, at)!, detail: `${contradicts}: ${fault.detail}` }
      : { ...fault, field: at, detail: `${contradicts}, ${fault.field}: ${fault.detail}` };
  });
};

export const validatePools = (plan: ScalingPlan, { related = [] }: Admission): FieldError[] =>
  (plan.spec?.pools ?? []).flatMap((entry, index) => {
    const at = `spec.pools[${index}]`;
    const own = ownFaults(plan, entry, at);
    const deployment = related.find((one) => entryFor(plan, one) === entry);
    return own.length > 0 || !deployment ? own : faultsWith(deployment, entry, at);
  });
