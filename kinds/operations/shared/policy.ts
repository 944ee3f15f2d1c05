/** What a Cluster says about its operations, read anew at each decision: people may give a running one more time. */

import { parseDuration } from '../../../machinery/api/durations.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type FailurePolicy, failurePolicies } from '../../core/contract/operation.ts';
import { policyAnnotations } from '../../core/contract/target.ts';

export interface Policy {
  /** As it was written. */
  deadline: string;
  /** How long a create may take, pauses not counted. */
  seconds: number;
  onFailure: FailurePolicy;
}

const defaultDeadline = '1h';

const isPolicy = (text: string | undefined): text is FailurePolicy => failurePolicies.some((policy) => policy === text);

/** Admission refuses bad values; what got past it counts as not written. */
export const policyOf = ({ metadata: { annotations = {} } }: KubeObject): Policy => {
  const given = annotations[policyAnnotations.createDeadline];
  const seconds = given === undefined ? undefined : parseDuration(given);
  const isGood = seconds !== undefined && seconds > 0;
  const onFailure = annotations[policyAnnotations.onCreateFailure];
  return {
    deadline: isGood && given !== undefined ? given : defaultDeadline,
    seconds: isGood ? seconds : parseDuration(defaultDeadline)!,
    onFailure: isPolicy(onFailure) ? onFailure : 'TearDown',
  };
};
