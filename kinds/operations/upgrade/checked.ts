/** What the upgrade-checks controller found for a step. Pure. */

import type { OperationScope } from '../shared/scope.ts';
import { ofObjects } from '../upgrade-check/checks/categories.ts';
import type { Finding } from '../upgrade-check/checks/facts.ts';
import type { UpgradeCheckStatus } from '../upgrade-check/index.ts';
import { type CheckedStep, isAnswer } from '../upgrade-check/need.ts';

/** The status that answers the step, which began at `since` in milliseconds; undefined while there is none. */
export const answerIn = (
  { operation, clusterState }: OperationScope,
  step: CheckedStep,
  since: number,
): UpgradeCheckStatus | undefined => {
  const status = clusterState.upgradeCheck?.status as UpgradeCheckStatus | undefined;
  return status && isAnswer(status, { operation: operation.metadata.name, step, since }) ? status : undefined;
};

/** Every finding keeps the operation from going on. */
export const refusing = (findings: NonNullable<UpgradeCheckStatus['findings']>): Finding[] =>
  findings.map(({ code, object, message, remedy }) => ({ code, level: 'Refuse', object, message, remedy }));

/** An Unknown that forbids everything else to be known is an Error. */
const isRefusing = ({ status, code }: { status: string; code: string }): boolean =>
  status === 'Error' || code === 'ClusterUnreachable';

/** Of what only the cluster itself can tell: the rest may be newer in the objects. */
export const checkedFindings = (scope: OperationScope, step: CheckedStep, since: number): Finding[] | undefined =>
  answerIn(scope, step, since)
    ?.findings?.filter(({ category }) => !ofObjects.some((one) => one === category))
    .map(({ code, status, object, message, remedy }) => ({
      code,
      level: isRefusing({ status, code }) ? 'Refuse' : 'Warn',
      object,
      message,
      remedy,
    }));
