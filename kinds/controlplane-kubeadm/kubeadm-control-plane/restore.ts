/**
 * Restores etcd from a snapshot as the operation of the cluster asks: deletes the Machines of before,
 * creates one on the snapshot, and reports the revision that its etcd has. Pure.
 */
import type { Action, Context, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { snapshotFileOf } from '../../bootstrap-kubeadm/kubeadm-config/restore.ts';
import { patchOf } from '../../common/owners.ts';
import { etcdProof } from '../../core/contract/etcd-client.ts';
import { excludeDrain, excludeVolumes } from '../../core/contract/hooks.ts';
import { isOfRestore, type Restoring, restoreAnnotations, restoredRevisionOf } from '../../core/contract/restore.ts';
import { askWorkload, callWorkload } from '../../ports/index.ts';
import type { EtcdMemberStatus } from '../../ports/workload.ts';
import { accessOf, type ControlPlane, isGoing, type Member, nodeOf } from './control-plane.ts';
import { creationOf } from './creation.ts';
import { releaseMachines } from './delete.ts';
import { annotations } from './names.ts';
import { scaleUp } from './scale.ts';
import { type StepPlan, waitFor } from './step.ts';

/** Seconds. */
const retry = 15;

/** Why the control plane does not follow its spec; empty once it does. */
export const restoreMessage = ({ operation, step }: Restoring): string => {
  switch (step) {
    case 'Stop':
      return `ClusterOperation ${operation} stops every Machine before it restores etcd`;
    case 'First':
      return `ClusterOperation ${operation} restores etcd on one Machine first`;
    case 'Join':
      return '';
    default:
      throw new Error(`unknown step ${step satisfies never}`);
  }
};

/** Notes of steps that a restore makes void. */
const voidNotes = ({ kcp }: ControlPlane, { uid }: Restoring): string[] => {
  const creation = creationOf(kcp);
  const isOwn = creation?.restore?.uid === uid;
  const notes = [
    ...(isOwn ? [] : [annotations.creating]),
    annotations.remediationInProgress,
    annotations.kubeadmConfigBefore,
  ];
  return notes.filter((note) => kcp.metadata.annotations?.[note] !== undefined);
};

/** No API server answers a drain, and what ran there ends with its host. */
const undrained = ({ machine }: Member): Action[] =>
  machine.metadata.annotations?.[excludeDrain] === undefined
    ? [
        {
          ...patchOf(machine, { metadata: { annotations: { [excludeDrain]: '', [excludeVolumes]: '' } } }),
          group: machine.metadata.name,
        },
      ]
    : [];

/**
 * Deletes the Machines of before, and a first one that a user deletes: no etcd is left to take their
 * members out of. Undefined if there are none.
 */
export const stopMembers = (controlPlane: ControlPlane): StepPlan | undefined => {
  const { restore, members } = controlPlane;
  if (!restore) return undefined;
  const leaving = members.filter(
    (member) => !isOfRestore(member.machine, restore) || (restore.step === 'First' && isGoing(member)),
  );
  const notes = voidNotes(controlPlane, restore);
  const actions = [...leaving.flatMap(undrained), ...releaseMachines({ members: leaving })];
  if (actions.length === 0 && notes.length === 0)
    return restore.step === 'Stop' ? waitFor(restoreMessage(restore)) : undefined;
  const cleared = Object.fromEntries(notes.map((note) => [note, null]));
  return { ...(notes.length > 0 && { intent: { metadata: { annotations: cleared } } }), actions, again: true };
};

/** Creates the Machine whose host starts etcd on the snapshot; no other follows before the step Join. */
export const restoreFirst = (controlPlane: ControlPlane, context: Context): StepPlan =>
  controlPlane.members.length === 0 ? scaleUp(controlPlane, context) : waitFor(controlPlane.why);

/** The member whose etcd started on the snapshot, until its revision is noted. */
const unread = ({ members, restore }: Pick<ControlPlane, 'members' | 'restore'>): Member | undefined =>
  members.find(
    ({ machine, config }) =>
      restore &&
      isOfRestore(machine, restore) &&
      config !== undefined &&
      snapshotFileOf(config) !== undefined &&
      restoredRevisionOf(machine) === undefined,
  );

export const observeRestored = (
  observing: Pick<ControlPlane, 'members' | 'restore' | 'certificates'>,
  kubeconfig: string,
  read: Reader,
  now: number,
): Read<EtcdMemberStatus> | undefined => {
  const member = unread(observing);
  const node = member && nodeOf(member);
  const proof =
    node && found(etcdProof(found(observing.certificates.secrets.etcd), 'capstan-control-plane', read, now));
  return proof ? askWorkload(read, 'etcdMember', { kubeconfig, ...proof, nodes: [node] }) : undefined;
};

/** The operation compares the revision with that of the snapshot. */
export const noteRevision = (controlPlane: ControlPlane): StepPlan | undefined => {
  const { live } = controlPlane;
  const member = unread(controlPlane);
  if (!member || !live.restored) return undefined;
  const status = found(live.restored);
  if (!status) {
    const why = live.restored.state === 'unreadable' ? `: ${live.restored.reason}` : '';
    return waitFor(`The revision of the restored etcd could not be read${why}`, retry);
  }
  const noted = { [restoreAnnotations.revision]: String(status.revision) };
  return { actions: [patchOf(member.machine, { metadata: { annotations: noted } })], again: true };
};

/** The snapshot has the Nodes of the hosts of before, which are off. */
export const deleteOldNodes = ({ restore, workload, members, kubeconfig }: ControlPlane): StepPlan | undefined => {
  const access = accessOf({ kubeconfig });
  if (!restore || !workload?.reachable || !access) return undefined;
  const current = new Set(members.map(nodeOf));
  const old = workload.nodes.filter(
    ({ name, providerID }) => providerID !== undefined && restore.hosts.includes(providerID) && !current.has(name),
  );
  if (old.length === 0) return undefined;
  return {
    actions: old.map(({ name }) =>
      callWorkload('delete', { kubeconfig: access, apiVersion: 'v1', kind: 'Node', name }),
    ),
    requeueAfter: retry,
  };
};
