import type { FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { annotations } from './labels.ts';

type Scaled = KubeObject<{ replicas?: number }>;

const sizes = ({ metadata }: KubeObject) => ({
  min: metadata.annotations?.[annotations.autoscalerMin],
  max: metadata.annotations?.[annotations.autoscalerMax],
});
const isInt32 = (text: string) => /^[+-]?\d+$/.test(text) && Math.abs(Number(text)) < 2 ** 31;

/**
 * The number of replicas where none is given: within what the cluster-autoscaler may set when it is annotated, else 1.
 * Undefined when the annotations are no numbers.
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

/** Faults that left the number of replicas without a default, and numbers below zero. */
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
  const named = { [annotations.autoscalerMin]: min, [annotations.autoscalerMax]: max };
  return Object.entries(named)
    .filter(([, value]) => value !== undefined && !isInt32(value))
    .map(([annotation, value]) => ({
      reason: 'FieldValueInvalid',
      field: `metadata.annotations[${annotation}]`,
      value,
      detail: `failed to calculate ${object.kind} replicas value: could not parse the value of the "${annotation}" annotation`,
    }));
};
