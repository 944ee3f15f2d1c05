import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import type { Messages } from '../shared/definition.ts';
import { cancelCommand, cancelled, failureOf } from '../shared/messages.ts';
import { stepOf } from '../shared/progress.ts';

export const cancelledByUser = 'a user cancelled it';

/** Its deletion ends a restore as a cancellation does: no other object tells the control plane what to do. */
export const isEndedByUser = ({ spec, metadata }: ClusterOperation): boolean =>
  spec?.cancel === true || metadata.deletionTimestamp !== undefined;

/** Whether the snapshot serves: the control plane can follow its spec without the restore. */
export const isServing = (status: OperationStatus): boolean => stepOf(status, 'RestoreFirst')?.verdict === 'Succeeded';

const again = ({ spec, metadata }: Pick<ClusterOperation, 'spec' | 'metadata'>): string =>
  `capstan snapshot restore ${spec?.snapshot ?? ''} -n ${metadata.namespace ?? ''}`;

export const refusedMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${failureOf(status)}. Nothing was changed. To try again, remove the cause and run: ${again(operation)}`;

const stays = 'What exists stays as it is, and so does the snapshot';

/** How to return to what the restore replaced. */
const wayBack = ({ metadata }: Pick<ClusterOperation, 'metadata'>, { before }: OperationStatus): string =>
  before === undefined
    ? ''
    : `. The state before the restore is EtcdSnapshot ${before}; to return to it, run: capstan snapshot restore ${before} -n ${metadata.namespace ?? ''}`;

/** How a held restore ends. */
const waysOn = (operation: ClusterOperation, status: OperationStatus): string => {
  const leave = isServing(status)
    ? `; or leave what is missing to the owners of the Machines, and run: ${cancelCommand(operation)}`
    : '';
  const mayServe = stepOf(status, 'RestoreFirst') !== undefined && !isServing(status);
  const wait = mayServe
    ? `Once its first Machine serves the snapshot, it ${isEndedByUser(operation) ? 'ends' : 'goes on'} by itself. `
    : '';
  return `${wait}To begin anew, remove the cause and run: ${again(operation)}${leave}${wayBack(operation, status)}`;
};

const stoppedFor = 'its control plane is stopped, and only a restore starts it again';
const unserved = 'its control plane does not serve the snapshot yet';

/** Why a user cannot end a held restore; undefined if its control plane serves. */
export const refusalToEnd = (operation: ClusterOperation): string | undefined => {
  const { status = {} } = operation;
  if (status.phase !== 'Held' || isServing(status)) return undefined;
  return stepOf(status, 'RestoreFirst')
    ? `${unserved}: once it does, the restore goes on and may be cancelled; to begin anew, run: ${again(operation)}`
    : `${stoppedFor}; run: ${again(operation)}`;
};

export const heldMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${isEndedByUser(operation) ? cancelled(`${cancelledByUser}, but ${stepOf(status, 'RestoreFirst') ? unserved : stoppedFor}`) : `${failureOf(status)}. ${stays}`}. ${waysOn(operation, status)}`;

const stateOf = ({ snapshot }: OperationStatus): string =>
  `etcd has the state of ${snapshot?.completedAt ?? 'the snapshot'} (revision ${snapshot?.revision ?? 'unknown'})`;

/** After the snapshot serves, a cancelled restore leaves the other Machines to their owners. */
export const stoppedMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${cancelled(cancelledByUser)}. ${stateOf(status)}. Machines that have not joined follow their specs${wayBack(operation, status)}`;

export const messages: Messages = {
  succeeded: ({ snapshot, before }) =>
    `${stateOf({ snapshot })}, and every Machine has joined${before === undefined ? '' : `. The state before the restore is EtcdSnapshot ${before}`}`,
  heldByError: ({ operation }, status, because) =>
    `${because}. ${stays}. ${waysOn(operation as ClusterOperation, status)}`,
  cancelled: (operation, because) => {
    const { status = {} } = operation;
    const why = isEndedByUser(operation) ? cancelledByUser : because;
    if (!stepOf(status, 'StopMembers')) return cancelled(`${why}. Nothing was changed`);
    if (!isServing(status))
      return cancelled(
        `${why}. It deleted control-plane Machines of before, and etcd did not serve the snapshot${wayBack(operation, status)}`,
      );
    return isEndedByUser(operation)
      ? stoppedMessage(operation, status)
      : cancelled(`${why}. ${stateOf(status)}${wayBack(operation, status)}`);
  },
  waiting: (_, status, waitsFor) => `${failureOf(status)}: ${waitsFor}`,
};
