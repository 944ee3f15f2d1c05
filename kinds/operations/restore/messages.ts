import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import type { Messages } from '../shared/definition.ts';
import { cancelCommand, cancelled, cancelledByUser, failureOf } from '../shared/messages.ts';
import { failedStep, stepOf } from '../shared/progress.ts';
import { unkept } from './disks.ts';

/** Its deletion ends a restore as a cancellation does: no other object tells the control plane what to do. */
export const isEndedByUser = ({ spec, metadata }: ClusterOperation): boolean =>
  spec?.cancel === true || metadata.deletionTimestamp !== undefined;

/** Whether the snapshot serves: the control plane can follow its spec without the restore. */
export const isServing = (status: OperationStatus): boolean => stepOf(status, 'RestoreFirst')?.verdict === 'Succeeded';

const again = ({ spec, metadata }: Pick<ClusterOperation, 'spec' | 'metadata'>): string =>
  `capstan snapshot restore ${spec?.snapshot ?? ''} -n ${metadata.namespace ?? ''}`;

/** A user who cannot remove the cause gives the data of the broken etcd up. */
const without = (operation: ClusterOperation, status: OperationStatus): string =>
  failedStep(status)?.message?.includes(unkept)
    ? `. To give up what is on the disks, run: ${again(operation)} --override ${unkept}`
    : '';

/** What is kept of an etcd that did not answer. */
export const disksIn = ({ disks = [], disksUntil = '' }: OperationStatus): string | undefined =>
  disks.length === 0
    ? undefined
    : `The state before the restore is on copies of disks that are kept until ${disksUntil}: ${disks.join(', ')}; docs/snapshots.md says how to read and how to delete them`;

const keptDisksIn = (status: OperationStatus): string => {
  const kept = disksIn(status);
  return kept === undefined ? '' : `. ${kept}`;
};

export const refusedMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${failureOf(status)}. Nothing was changed${keptDisksIn(status)}. To try again, remove the cause and run: ${again(operation)}${without(operation, status)}`;

const stays = 'What exists stays as it is, and so does the snapshot';

/** How to return to what the restore replaced. */
const wayBack = ({ metadata }: Pick<ClusterOperation, 'metadata'>, status: OperationStatus): string =>
  status.before === undefined
    ? keptDisksIn(status)
    : `. The state before the restore is EtcdSnapshot ${status.before}; to return to it, run: capstan snapshot restore ${status.before} -n ${metadata.namespace ?? ''}`;

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
  `${isEndedByUser(operation) ? cancelled(`${cancelledByUser(operation)}, but ${stepOf(status, 'RestoreFirst') ? unserved : stoppedFor}`) : `${failureOf(status)}. ${stays}`}. ${waysOn(operation, status)}`;

const stateOf = ({ snapshot }: OperationStatus): string =>
  `etcd has the state of ${snapshot?.completedAt ?? 'the snapshot'} (revision ${snapshot?.revision ?? 'unknown'})`;

/** After the snapshot serves, a cancelled restore leaves the other Machines to their owners. */
export const stoppedMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${cancelled(cancelledByUser(operation))}. ${stateOf(status)}. Machines that have not joined follow their specs${wayBack(operation, status)}`;

export const messages: Messages = {
  succeeded: (status) => {
    const { before } = status;
    const saved =
      before === undefined ? keptDisksIn(status) : `. The state before the restore is EtcdSnapshot ${before}`;
    return `${stateOf(status)}, and every Machine has joined${saved}`;
  },
  heldByError: ({ operation }, status, because) =>
    `${because}. ${stays}. ${waysOn(operation as ClusterOperation, status)}`,
  cancelled: (operation, because) => {
    const { status = {} } = operation;
    const why = isEndedByUser(operation) ? cancelledByUser(operation) : because;
    if (!stepOf(status, 'StopMembers')) return cancelled(`${why}. Nothing was changed${keptDisksIn(status)}`);
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
