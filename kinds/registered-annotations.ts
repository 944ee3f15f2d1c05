/** Annotations that wings register on the kinds of others, with their checks. By kind. */
import type { AnnotationChecks } from './common/annotation-checks.ts';
import { operationFacts } from './operations/facts.ts';

const ofOperations: AnnotationChecks = Object.assign(
  {},
  ...Object.values(operationFacts).map(({ annotations }) => annotations),
);

export const registeredAnnotations: Readonly<Record<string, AnnotationChecks>> = { Cluster: ofOperations };
