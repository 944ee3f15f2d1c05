import type { KubeObject } from '../../../machinery/api/object.ts';
import { listOf } from '../../common/list-of.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { restoreFromOf } from '../../core/contract/origin.ts';
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import { oneLine } from '../shared/cause.ts';
import type { Messages } from '../shared/definition.ts';
import { cancelled, failureOf } from '../shared/messages.ts';
import { failedStep, stepOf } from '../shared/progress.ts';
import { everAvailable, writtenTarget } from '../shared/scope.ts';
import { createAnnotations } from './annotations.ts';

const retry = ({ spec, metadata }: ClusterOperation): string =>
  `capstan retry cluster ${spec?.clusterName ?? ''} -n ${metadata.namespace ?? ''}`;

const isPastDeadline = (status: OperationStatus): boolean => failedStep(status)?.verdict === 'DeadlineExceeded';

/** How to continue after a failed create. */
const remedy = (operation: ClusterOperation, status: OperationStatus): string => {
  const longer = isPastDeadline(status) ? ` A longer ${createAnnotations.deadline} gives it more time.` : '';
  return `Remove the cause, then run: ${retry(operation)}. A change of the spec tries again by itself.${longer}`;
};

export const tearingDown = (status: OperationStatus, waitsFor: string): string =>
  `${failureOf(status)}. What was made of it is being removed: ${waitsFor}`;

export const tornDownMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${failureOf(status)}. Nothing is left of it. ${remedy(operation, status)}`;

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

const kept = (foreign: readonly KubeObject[]): string =>
  foreign.length === 0
    ? 'All that was made is kept, nothing new is bought'
    : `All that was made is kept: only their own providers could stop or tear down ${listOf(foreign.map(nameOf))}`;

export const heldByPolicy = (
  operation: ClusterOperation,
  status: OperationStatus,
  foreign: readonly KubeObject[],
): string => `${failureOf(status)}. ${kept(foreign)}. ${remedy(operation, status)}`;

const untouched = (cluster: Cluster): string => {
  switch (writtenTarget(cluster)) {
    case undefined:
      return 'Nothing has been made yet';
    case 'Hold':
      return 'All that was made is kept, nothing new is bought';
    case 'Build':
    case 'Nothing':
      return 'Nothing was undone, and the cluster goes on being built';
  }
};

export const heldInTearDown = (status: OperationStatus, waitsFor: string): string =>
  `${failureOf(status)}. It could not be undone yet: ${waitsFor}. It is tried again until nothing is left`;

const isUndoing = (status: OperationStatus, cluster: Cluster): boolean =>
  stepOf(status, 'TearDown') !== undefined || writtenTarget(cluster) === 'Nothing';

const notAwaited = 'not awaited: ';
/** Of a step that ended without what it waits for, because the cluster was Available. */
export const unawaited = (waitsFor: string): string => `${notAwaited}${waitsFor.replace(/^waiting for /, '')}`;

const unfinished = ({ steps = [] }: OperationStatus): string =>
  steps
    .flatMap(({ name, message }) =>
      message?.startsWith(notAwaited) ? [`${name}: ${message.slice(notAwaited.length)}`] : [],
    )
    .join('; ');

const begun = (cluster: Cluster): string => {
  const snapshot = restoreFromOf(cluster);
  return snapshot === undefined
    ? ''
    : `. It began with the state of EtcdSnapshot ${snapshot}; step Preflight names what was left out of it`;
};

export const messages: Messages = {
  succeeded: (status, { cluster }) => {
    if (!everAvailable(cluster))
      return 'Its infrastructure is ready, and it names neither a control plane nor Machines to wait for';
    const left = unfinished(status);
    return `The cluster is Available${begun(cluster)}${left === '' ? '' : `. Not finished yet: ${left}`}`;
  },
  heldByError: ({ operation, cluster }, status, because) =>
    isUndoing(status, cluster)
      ? heldInTearDown(status, oneLine(because))
      : `${because}. ${untouched(cluster)}. To begin anew, run: ${retry(operation)}.`,
  cancelled: (operation, because, holds) =>
    holds
      ? `${cancelled(because)}. All that was made is kept, nothing new is bought. To go on, run: ${retry(operation)}`
      : cancelled(because),
  waiting: (_, status, waitsFor) => heldInTearDown(status, waitsFor),
};
