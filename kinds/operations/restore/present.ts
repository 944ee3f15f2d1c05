/** Saves what a restore replaces: by a snapshot as long as its etcd answers, else by its disks. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import { conditionsOf, oneLine, withCause } from '../shared/cause.ts';
import { type ClusterState, type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import type { OperationScope } from '../shared/scope.ts';
import { judgeDisks, keepDisks } from './disks.ts';
import { snapshotStatusOf } from './obstacle.ts';

/** Seconds. An etcd that fails may be the reason for the restore, so the restore then goes on. */
const deadline = 600;

interface Scope {
  operation: Pick<OperationScope['operation'], 'metadata'>;
  clusterState: { workload: ClusterState['workload']; snapshots: readonly KubeObject[] };
}

const nameFor = ({ operation }: Pick<Scope, 'operation'>): string => `${operation.metadata.name}-before`;

const presentIn = (scope: Scope): KubeObject | undefined =>
  scope.clusterState.snapshots.find((one) => one.metadata.name === nameFor(scope) && !isDeleting(one));

const answers = ({ clusterState: { workload } }: Scope): boolean =>
  workload?.reachable === true && workload.etcd !== undefined && workload.etcdUnreadable === undefined;

/** The name of the snapshot, once it is complete. */
export const savedIn = (scope: OperationScope): string | undefined => {
  const present = presentIn(scope);
  return present && snapshotStatusOf(present).phase === 'Succeeded' ? present.metadata.name : undefined;
};

const messageIn = (present: KubeObject): string | undefined => {
  const { message } = conditionOf(conditionsOf(present), 'Ready') ?? {};
  return message ? oneLine(message) : undefined;
};

/** Why no snapshot of the present will be taken; undefined while one is there, or on its way. */
export const unsavedBecause = (scope: Scope): string | undefined => {
  const present = presentIn(scope);
  if (!present) return answers(scope) ? undefined : 'The present state is not saved, because etcd does not answer';
  if (snapshotStatusOf(present).phase !== 'Failed') return undefined;
  const failed = `The present state is not saved, because EtcdSnapshot ${present.metadata.name} failed`;
  return withCause(failed, messageIn(present));
};

export const judgePresent = (scope: OperationScope): Judgement => {
  const unsaved = unsavedBecause(scope);
  if (unsaved !== undefined) return judgeDisks(scope, unsaved);
  const present = presentIn(scope);
  if (!present) return pending('waiting for a snapshot of the present state', 'PresentNotSaved');
  const { name } = present.metadata;
  return snapshotStatusOf(present).phase === 'Succeeded'
    ? skipped(`The present state is EtcdSnapshot ${name}`)
    : pending(
        withCause(`waiting for EtcdSnapshot ${name} of the present state`, messageIn(present)),
        'PresentNotSaved',
      );
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
    if (isInVain) return [deletionOf(present)];
    return phase === 'Failed' ? keepDisks(scope) : [];
  }
  if (!answers(scope)) return keepDisks(scope);
  const { namespace = '', name: clusterName } = scope.cluster.metadata;
  const object: KubeObject = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace, name: nameFor(scope), ownerReferences: [clusterReference(scope.cluster)] },
    spec: { clusterName, reason: 'Restore', activeDeadlineSeconds: deadline },
  };
  return [{ do: 'create', object }];
};
