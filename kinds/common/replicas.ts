import type { FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { sizeAnnotations } from './autoscale/annotations.ts';
import { annotations } from './labels.ts';

type Scaled = KubeObject<{ replicas?: number }>;

const ofClusterAutoscaler = { min: annotations.autoscalerMin, max: annotations.autoscalerMax };
const namesOf = (object: KubeObject) => sizeAnnotations(object) ?? ofClusterAutoscaler;
const sizes = (object: KubeObject) => {
  const { min, max } = namesOf(object);
  return { min: object.metadata.annotations?.[min], max: object.metadata.annotations?.[max] };
};
const isInt32 = (text: string) => /^[+-]?\d+$/.test(text) && Math.abs(Number(text)) < 2 ** 31;

/**
 * The default for absent replicas: within the annotated limits of the autoscaler, otherwise 1.
 * Undefined if the annotations are not numbers.
 */
export const defaultReplicas = (object: Scaled, old: Scaled | undefined): number | undefined => {
  const given = object.spec?.replicas;
  if (given !== undefined) return given;
  const { min, max } = sizes(object);
  if (min === undefined || max === undefined) return 1;
  if (!isInt32(min) || !isInt32(max)) return undefined;
  const [least, most] = [Number(min), Number(max)];
  const before = old?.spec?.replicas;
  if (before === undefined || before < least) return least;
  return Math.min(before, most);
};

/** Rejects annotations that allow no default, and negative replicas. */
export const validateReplicas = (object: Scaled): FieldError[] => {
  const replicas = object.spec?.replicas;
  if (replicas !== undefined)
    return replicas < 0
      ? [
          {
            reason: 'FieldValueInvalid',
            field: 'spec.replicas',
            value: replicas,
            detail: 'must be greater than or equal to 0',
          },
        ]
      : [];
  const { min, max } = sizes(object);
  const names = namesOf(object);
  const named = { [names.min]: min, [names.max]: max };
  return Object.entries(named)
    .filter(([, value]) => value !== undefined && !isInt32(value))
    .map(([annotation, value]) => ({
      reason: 'FieldValueInvalid',
      field: `metadata.annotations[${annotation}]`,
      value,
      detail: `failed to calculate ${object.kind} replicas value: could not parse the value of the "${annotation}" annotation`,
    }));
};
