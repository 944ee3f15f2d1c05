import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import type { Messages } from '../shared/definition.ts';
import { cancelled, failureOf } from '../shared/messages.ts';

export const cancelledByUser = 'a user cancelled it';

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

export const heldMessage = (operation: ClusterOperation, status: OperationStatus): string =>
  `${failureOf(status)}. ${stays}. To begin anew, remove the cause and run: ${again(operation)}${wayBack(operation, status)}`;

export const messages: Messages = {
  succeeded: ({ snapshot, before }) =>
    `etcd has the state of ${snapshot?.completedAt ?? 'the snapshot'} (revision ${snapshot?.revision ?? 'unknown'}), and every Machine has joined${before === undefined ? '' : `. The state before the restore is EtcdSnapshot ${before}`}`,
  heldByError: ({ operation }, status, because) =>
    `${because}. ${stays}. To begin anew, run: ${again(operation)}${wayBack(operation, status)}`,
  cancelled: (operation, because) =>
    cancelled(operation.spec?.cancel ? `${cancelledByUser}. Nothing was changed` : because),
  waiting: (status, waitsFor) => `${failureOf(status)}: ${waitsFor}`,
};
