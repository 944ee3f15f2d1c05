/** A snapshot of what a restore replaces, as long as its etcd answers: the way back. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import { conditionsOf, oneLine, withCause } from '../shared/cause.ts';
import { type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import type { OperationScope } from '../shared/scope.ts';
import { snapshotStatusOf } from './obstacle.ts';

/** Seconds. An etcd that fails may be the reason for the restore, so the restore then goes on. */
const deadline = 600;

const nameFor = ({ operation }: OperationScope): string => `${operation.metadata.name}-before`;

const presentIn = (scope: OperationScope): KubeObject | undefined =>
  scope.clusterState.snapshots.find((one) => one.metadata.name === nameFor(scope) && !isDeleting(one));

const answers = ({ clusterState: { workload } }: OperationScope): boolean =>
  workload?.reachable === true && workload.etcd !== undefined && workload.etcdUnreadable === undefined;

/** The name of the snapshot, once it is complete. */
export const savedIn = (scope: OperationScope): string | undefined => {
  const present = presentIn(scope);
  return present && snapshotStatusOf(present).phase === 'Succeeded' ? present.metadata.name : undefined;
};

export const judgePresent = (scope: OperationScope): Judgement => {
  const present = presentIn(scope);
  if (!present)
    return answers(scope)
      ? pending('waiting for a snapshot of the present state')
      : skipped('The present state is not saved, because etcd does not answer');
  const { name } = present.metadata;
  const { message } = conditionOf(conditionsOf(present), 'Ready') ?? {};
  const why = message ? oneLine(message) : undefined;
  switch (snapshotStatusOf(present).phase) {
    case 'Succeeded':
      return skipped(`The present state is EtcdSnapshot ${name}`);
    case 'Failed':
      return skipped(withCause(`The present state is not saved, because EtcdSnapshot ${name} failed`, why));
    default:
      return pending(withCause(`waiting for EtcdSnapshot ${name} of the present state`, why));
  }
};

/**
 * The control plane may be lost while its last news is good. Once it is known to be silent, nothing is
 * waited for, and the snapshot goes: later it would save what the restore made.
 */
export const savePresent = (scope: OperationScope): Action[] => {
  const present = presentIn(scope);
  if (present) {
    const { phase = 'Pending' } = snapshotStatusOf(present);
    const isInVain = scope.clusterState.workload?.reachable === false && ['Pending', 'Running'].includes(phase);
    return isInVain ? [deletionOf(present)] : [];
  }
  if (!answers(scope)) return [];
  const { namespace = '', name: clusterName } = scope.cluster.metadata;
  const object: KubeObject = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace, name: nameFor(scope), ownerReferences: [clusterReference(scope.cluster)] },
    spec: { clusterName, reason: 'Restore', activeDeadlineSeconds: deadline },
  };
  return [{ do: 'create', object }];
};
