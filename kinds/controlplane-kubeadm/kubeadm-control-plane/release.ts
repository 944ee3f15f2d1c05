/**
 * Tears down what a control plane created and keeps the object and its spec: Machines without
 * regard for etcd, after the workers, then orphaned parts, then the Secrets, and last the recorded
 * status, so that it can start over. Pure.
 */
import { type Action, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import { releaseLock } from '../../bootstrap-kubeadm/kubeadm-config/init-lock.ts';
import { deletionOf, isControlledBy, isOwnedBy } from '../../common/owners.ts';
import { authorities, releaseSecret } from '../../core/contract/cluster-secrets.ts';
import { isGiven, isCleared as isMachineCleared } from '../../core/contract/machine.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { ControlPlane } from './control-plane.ts';
import { releaseMachines, shown } from './delete.ts';
import type { KubeadmControlPlane } from './index.ts';
import { annotations } from './names.ts';

/** Seconds. Most of what it waits for wakes the controller with an event. */
const retry = 30;

const notes = [annotations.creating, annotations.remediationInProgress, annotations.kubeadmConfigBefore];

/** Whether the object carries nothing from a cluster that was torn down. */
export const isCleared = ({ metadata, status }: KubeadmControlPlane): boolean =>
  notes.every((note) => metadata.annotations?.[note] === undefined) &&
  status?.initialization?.controlPlaneInitialized !== true &&
  status?.lastRemediation === undefined;

const isKnown = ({ state }: Read<unknown>): boolean => state === 'found' || state === 'absent';

/** The next step, and the control plane to compute the status from. */
export const planRelease = (controlPlane: ControlPlane): { plan: Plan; judged: ControlPlane } => {
  const { kcp, workers, members, certificates, kubeconfig, remains } = controlPlane;
  const going = (actions: Action[]) => ({ plan: { actions, requeueAfter: retry }, judged: controlPlane });
  if (workers?.state !== 'found' || !remains) return going([]);
  // Machines that users created stay: they count only while they have a host.
  const before = workers.value.filter((worker) => !isGiven(worker) || !isMachineCleared(worker));
  if (before.length > 0) {
    const why = `${controlPlane.why}; waiting for worker Machines: ${shown(before)}`;
    return { ...going([]), judged: { ...controlPlane, why } };
  }
  if (members.length > 0) return going(releaseMachines(controlPlane));
  const secretReads = [...authorities.map((purpose) => certificates.secrets[purpose]), kubeconfig];
  if (![...remains.parts, ...secretReads, remains.lock].every(isKnown)) return going([]);
  const parts = remains.parts.flatMap((read) => found(read) ?? []).filter((part) => isOwnedBy(part, kcp));
  if (parts.length > 0) return going(parts.filter((part) => !isDeleting(part)).map(deletionOf));
  const secrets = secretReads.flatMap((read) => found(read) ?? []).filter((secret) => isControlledBy(secret, kcp));
  const lock = found(remains.lock);
  const deletions = [
    ...secrets.map((secret) => releaseSecret(secret, kcp.metadata)),
    ...(lock ? [releaseLock(lock)] : []),
  ];
  if (deletions.length > 0) return { plan: { actions: deletions, again: true }, judged: controlPlane };
  return { plan: { released: { notes } }, judged: { ...controlPlane, workload: undefined } };
};
