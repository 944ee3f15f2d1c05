/**
 * A Cluster's policy for its operations. Each decision reads it again, so that a user can extend
 * the deadline of a running operation.
 */

import { parseDuration } from '../../../machinery/api/durations.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { createAnnotations, type FailurePolicy, failurePolicies } from '../create/annotations.ts';

export interface Policy {
  /** As the user wrote it. */
  deadline: string;
  /** How long a create may take, without pauses. */
  seconds: number;
  onFailure: FailurePolicy;
}

const defaultDeadline = '1h';

const isPolicy = (text: string | undefined): text is FailurePolicy => failurePolicies.some((policy) => policy === text);

/** Admission rejects invalid values; an invalid value that is stored anyway counts as absent. */
export const policyOf = ({ metadata: { annotations = {} } }: KubeObject): Policy => {
  const given = annotations[createAnnotations.deadline];
  const seconds = given === undefined ? undefined : parseDuration(given);
  const isGood = seconds !== undefined && seconds > 0;
  const onFailure = annotations[createAnnotations.onFailure];
  return {
    deadline: isGood && given !== undefined ? given : defaultDeadline,
    seconds: isGood ? seconds : parseDuration(defaultDeadline)!,
    onFailure: isPolicy(onFailure) ? onFailure : 'TearDown',
  };
};
