/** The annotations of all types of operations. */
import { type AnnotationChecks, checked, type WingAnnotations } from '../common/annotation-checks.ts';
import { operationFacts } from './facts.ts';

const ofClusters: AnnotationChecks = Object.assign(
  {},
  ...Object.values(operationFacts).map(({ annotations }) => annotations),
);

export const operationsAnnotations: WingAnnotations = { Cluster: checked(ofClusters) };
