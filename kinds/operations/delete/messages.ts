import { listOf } from '../../common/list-of.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { Messages } from '../shared/definition.ts';
import { cancelled } from '../shared/messages.ts';
import { finalMessage } from './final-snapshot.ts';

export const heldInDeletion = (waitsFor: string): string =>
  `The deletion could not be finished yet: ${waitsFor}. It is tried again until nothing is left`;

const except = ({ snapshots = [] }: OperationStatus): string =>
  snapshots.length === 0
    ? ''
    : ` but EtcdSnapshots, which are deleted with their files now: ${listOf(snapshots)}; the condition Deleting of one that stays says why`;

const copies = ({ disks = [], disksRemoval = '' }: OperationStatus): string =>
  disks.length === 0
    ? ''
    : `. ${disks.length === 1 ? 'One copy of a disk stays' : `${disks.length} copies of disks stay`}, which ${disks.length === 1 ? 'a restore' : 'restores'} kept: ${listOf(disks)}; to remove one now, run: ${disksRemoval}`;

const gone = (status: OperationStatus): string => {
  const { stays = [] } = status;
  if (stays.length === 0) return `Nothing is left of the cluster${except(status)}`;
  return `Nothing that was made for the cluster is left${except(status)}; what does not carry its tags stays as it is: ${listOf(stays)}`;
};

export const messages: Messages = {
  succeeded: (status, { cluster }) =>
    `${gone(status)}${copies(status)}${finalMessage(status, cluster.metadata.namespace ?? '')}`,
  heldByError: (_, __, because) => `${because}. The deletion goes on by itself, and ends when nothing is left.`,
  cancelled: (_, because) => cancelled(because),
  waiting: (_, __, waitsFor) => heldInDeletion(waitsFor),
};
