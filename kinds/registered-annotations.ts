/** Annotations that wings register, with their checks: admission of every kind asks all of them. */
import type { FieldError, KindDefinition } from '../machinery/api/kind.ts';
import { autoscalingAnnotations } from './autoscaling/annotations.ts';
import { capstanAnnotations } from './capstan/annotations.ts';
import type { WingAnnotations } from './common/annotation-checks.ts';
import { operationsAnnotations } from './operations/annotations.ts';

const wings: readonly WingAnnotations[] = [capstanAnnotations, autoscalingAnnotations, operationsAnnotations];

type Validating = Pick<KindDefinition, 'kind' | 'validate'>;

/** The validation of a kind, and of what wings register on it. */
export const withRegistered = ({ kind, validate }: Validating): KindDefinition['validate'] => {
  const rules = wings.flatMap((wing) => wing[kind] ?? []);
  if (rules.length === 0) return validate;
  return (object, admission): FieldError[] => [
    ...(validate?.(object, admission) ?? []),
    ...(admission.operation === 'delete' ? [] : rules.flatMap((rule) => rule(object, admission))),
  ];
};
