import {
  type AnnotationChecks,
  listOf,
  notNegativeDuration,
  oneOf,
  positiveDuration,
} from '../../common/annotation-checks.ts';
import { upgradeSteps } from './step-names.ts';

/** Annotations that users set on a Cluster. */
export const upgradeAnnotations = {
  deadline: 'capstan.dev/upgrade-deadline',
  onFailure: 'capstan.dev/on-upgrade-failure',
  pause: 'capstan.dev/upgrade-pause',
  soak: 'capstan.dev/upgrade-soak',
  rollback: 'capstan.dev/upgrade-rollback',
} as const;

export const upgradeFailurePolicies = ['RollBack', 'Hold', 'Retry'] as const;
export type UpgradeFailurePolicy = (typeof upgradeFailurePolicies)[number];

export const upgradeChecks: AnnotationChecks = {
  [upgradeAnnotations.deadline]: positiveDuration,
  [upgradeAnnotations.onFailure]: oneOf(...upgradeFailurePolicies),
  [upgradeAnnotations.pause]: listOf(...upgradeSteps),
  [upgradeAnnotations.soak]: notNegativeDuration,
  [upgradeAnnotations.rollback]: oneOf('Guarded'),
};
