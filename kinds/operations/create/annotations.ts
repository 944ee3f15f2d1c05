import { type AnnotationChecks, oneOf, positiveDuration } from '../../common/annotation-checks.ts';

/** Annotations that users set on a Cluster. */
export const createAnnotations = {
  deadline: 'capstan.dev/create-deadline',
  onFailure: 'capstan.dev/on-create-failure',
} as const;

export const failurePolicies = ['TearDown', 'Hold', 'Retry'] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

export const createChecks: AnnotationChecks = {
  [createAnnotations.deadline]: positiveDuration,
  [createAnnotations.onFailure]: oneOf(...failurePolicies),
};
