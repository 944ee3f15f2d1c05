/**
 * Deletes a control plane: waits for the workers, then deletes all Machines at once, without regard
 * for etcd. Pure.
 */
import { type Action, type ConditionDraft, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { deletionOf, patchOf } from '../../common/owners.ts';
import { finalSnapshotName } from '../../core/contract/final-snapshot.ts';
import { isDeleting, staleMessage } from '../../core/contract/machines.ts';
import type { Machine } from '../../core/machine/schema.ts';
import type { ControlPlane } from './control-plane.ts';
import { annotations } from './names.ts';

/** Seconds. */
const retry = 30;

const deleting = (reason: string, message: string): ConditionDraft => ({
  type: 'Deleting',
  status: 'True',
  reason,
  message,
});

/** Deletes every Machine and removes its etcd cleanup hook. */
export const releaseMachines = ({ members }: Pick<ControlPlane, 'members'>): Action[] =>
  members.flatMap(({ machine }): Action[] => {
    const group = machine.metadata.name;
    const held = machine.metadata.annotations?.[annotations.cleanupHook] !== undefined;
    return [
      ...(held
        ? [{ ...patchOf(machine, { metadata: { annotations: { [annotations.cleanupHook]: null } } }), group }]
        : []),
      ...(isDeleting(machine) ? [] : [{ ...deletionOf(machine), group }]),
    ];
  });

/** Names of the first Machines, and the number of the others. */
export const shown = (machines: Machine[]): string => {
  const names = machines.map(({ metadata }) => metadata.name).sort();
  return names.slice(0, 3).join(', ') + (names.length > 3 ? `, ... (${names.length - 3} more)` : '');
};

/** Seconds within which the operation of a deletion asks for the last snapshot, if the cluster answers. */
const asked = 60;
/** Seconds between two looks at it. */
const finalRetry = 10;

/** Bounded: the snapshot has a deadline of its own. */
const isFinalAwaited = ({ cluster, workload, finalSnapshot }: ControlPlane, now: number): boolean => {
  if (!finalSnapshot || !workload?.reachable) return false;
  if (finalSnapshot.state === 'absent')
    return now - Date.parse(cluster.metadata.deletionTimestamp ?? '') < asked * 1000;
  const snapshot = found(finalSnapshot);
  const { phase } = (snapshot?.status ?? {}) as { phase?: string };
  return snapshot !== undefined && !isDeleting(snapshot) && phase !== 'Succeeded' && phase !== 'Failed';
};

export const planDeletion = (controlPlane: ControlPlane, now: number): { plan: Plan; condition: ConditionDraft } => {
  const { workers, members } = controlPlane;
  if (workers?.state !== 'found')
    return {
      plan: { requeueAfter: retry },
      condition: deleting('InternalError', 'The Machines of the cluster could not be read'),
    };
  if (workers.value.length > 0) {
    const message = `KubeadmControlPlane deletion blocked because following objects still exist:\n* Worker Machines: ${shown(workers.value)}`;
    return { plan: { requeueAfter: retry }, condition: deleting('WaitingForWorkersDeletion', message) };
  }
  if (members.length === 0)
    return { plan: { finished: true }, condition: deleting('DeletionCompleted', 'Deletion completed') };
  if (isFinalAwaited(controlPlane, now))
    return {
      plan: { requeueAfter: finalRetry },
      condition: deleting(
        'WaitingForFinalSnapshot',
        `Waiting for EtcdSnapshot ${finalSnapshotName(controlPlane.cluster)}, the last one of the cluster`,
      ),
    };
  const machines = members.map(({ machine }) => machine);
  const stale = staleMessage(machines, now);
  const message = `Deleting ${machines.length} ${machines.length === 1 ? 'Machine' : 'Machines'}${stale && `\n* ${stale}`}`;
  return {
    plan: { actions: releaseMachines(controlPlane), requeueAfter: retry },
    condition: deleting('WaitingForMachineDeletion', message),
  };
};
