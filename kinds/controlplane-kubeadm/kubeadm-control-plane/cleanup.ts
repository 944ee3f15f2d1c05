/**
 * Removes a deleted Machine's etcd member, regardless of who deleted the Machine: after the drain
 * and before the instance is terminated. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, found } from '../../../machinery/api/reconcile.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import { deletionOf, patchAsObserved } from '../../common/owners.ts';
import { mayHaveLaunched } from '../../core/contract/launch.ts';
import { providerIdOf } from '../../core/contract/machine.ts';
import {
  type ControlPlane,
  isGoing,
  isInitialized,
  type Member,
  managesEtcd,
  nameOf,
  nodeOf,
} from './control-plane.ts';
import { otherTerminateHooks } from './creation.ts';
import { etcdMemberOf, etcdUnread, forwardLeadership, keepsQuorum, removableMember, removeMember } from './etcd.ts';
import { annotations } from './names.ts';
import { type StepPlan, waitFor } from './step.ts';

/** Seconds. */
const quorumRetry = 30;
/** Seconds within which a host joins, if it joins at all. */
const joiningTime = 600;

/** Conditional on the observed resourceVersion: the host may have joined since. */
const dropHook = ({ machine }: Member): Action =>
  patchAsObserved(machine, { metadata: { annotations: { [annotations.cleanupHook]: null } } });

const hasHook = ({ machine }: Member) => machine.metadata.annotations?.[annotations.cleanupHook] !== undefined;

const isWaiting = ({ machine }: Member): boolean => {
  const deleting = conditionOf(machine.status?.conditions, 'Deleting');
  return deleting?.status === 'True' && deleting.reason === 'WaitingForPreTerminateHook';
};

/** The Machine that was deleted first; the others wait for it. */
export const nextToLeave = ({ members }: ControlPlane): Member | undefined => {
  const since = ({ machine: { metadata } }: Member) => `${metadata.deletionTimestamp} ${metadata.name}`;
  return members
    .filter((member) => isGoing(member) && hasHook(member))
    .sort((a, b) => (since(a) < since(b) ? -1 : 1))[0];
};

const mayHaveHost = (infraMachine: KubeObject): boolean =>
  providerIdOf(infraMachine) !== undefined || mayHaveLaunched(infraMachine);

/**
 * The Machine may have a host that has not joined yet. If its deletion went on now, the host could
 * still become an etcd member that no controller would remove. A host that is not known to run
 * counts as booting since the Machine's deletion at the latest.
 */
const mayJoin = ({ machine, infraMachine }: Member, now: number): boolean => {
  const ready = conditionOf(machine.status?.conditions, 'InfrastructureReady');
  const isRunning = ready?.status === 'True';
  if (!isRunning && !(infraMachine && mayHaveHost(infraMachine))) return false;
  const since = (isRunning ? ready.lastTransitionTime : machine.metadata.deletionTimestamp) ?? '';
  return now < Date.parse(since) + joiningTime * 1000;
};

/**
 * Releases a deleted Machine once etcd no longer needs it; undefined if no Machine waits for that.
 */
export const releaseNext = (controlPlane: ControlPlane, { now }: Pick<Context, 'now'>): StepPlan | undefined => {
  const { members, live, kcp, workload } = controlPlane;
  const member = nextToLeave(controlPlane);
  if (!member || !isWaiting(member)) return undefined;
  // From 1.31 on, the kubelet uses the API server of its own Node: other hooks may still need the
  // Node to work.
  const waitsForOthers = isAtLeastMinor(kcp.spec?.version ?? '', 31) && otherTerminateHooks(member.machine).length > 0;
  if (waitsForOthers) return undefined;
  const gone = { actions: [dropHook(member)], again: true };
  const waits = (why: string) => waitFor(`Machine ${nameOf(member)} cannot be terminated: ${why}`, quorumRetry);
  if (members.length === 1 || !managesEtcd(controlPlane)) return gone;
  const hasNode = nodeOf(member) !== undefined;
  // No control plane runs yet that the host could join.
  if (!hasNode && !isInitialized(controlPlane)) return gone;
  const etcd = live.etcd && found(live.etcd.status);
  if (!etcd) return waits(etcdUnread(controlPlane));
  const own = etcdMemberOf(etcd, member);
  if (!own) return !hasNode && mayJoin(member, now) ? waits('its host may still join etcd') : gone;
  // Without another API server, no replacement could join.
  const isServed = workload?.controlPlanePods.some(
    ({ component, node, ready }) => component === 'kube-apiserver' && ready && node !== own.name,
  );
  if (!isServed) return waits('no other API server is ready');
  if (!keepsQuorum(etcd, members, { without: own.id })) return waits('etcd would lose its quorum without its member');
  return {
    actions: [...forwardLeadership(controlPlane, member), ...removeMember(controlPlane, own), dropHook(member)],
    again: true,
  };
};

/** Seconds for which an unreferenced part is kept: the pass may not see its Machine yet. */
const orphanGrace = 600;
/** When the part may be deleted, in milliseconds since the epoch. */
export const orphanExpiry = ({ metadata }: KubeObject): number =>
  Date.parse(metadata.creationTimestamp ?? '') + orphanGrace * 1000;

/** Deletes the parts of Machines that do not exist; undefined if there are none. */
export const removeOrphanedParts = (
  { orphanedParts }: ControlPlane,
  { now }: Pick<Context, 'now'>,
): StepPlan | undefined => {
  const old = orphanedParts.filter((part) => now >= orphanExpiry(part));
  return old.length > 0 ? { actions: old.map(deletionOf), again: true } : undefined;
};

/** Removes etcd members without a Machine; undefined if there are none. */
export const removeUnknownMembers = (controlPlane: ControlPlane): StepPlan | undefined => {
  const member = removableMember(controlPlane);
  if (!member) return undefined;
  return { actions: removeMember(controlPlane, member), requeueAfter: 1 };
};
