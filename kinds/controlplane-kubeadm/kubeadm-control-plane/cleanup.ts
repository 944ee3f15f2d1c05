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
  etcdAnswers,
  isGoing,
  isInitialized,
  type Member,
  managesEtcd,
  nameOf,
  nodeOf,
} from './control-plane.ts';
import { otherTerminateHooks } from './creation.ts';
import {
  etcdMemberOf,
  etcdUnread,
  forwardLeadership,
  keepsQuorum,
  removableMember,
  removeMember,
  unhealthyMembers,
} from './etcd.ts';
import { annotations } from './names.ts';
import type { Step, StepPlan } from './step.ts';

/** Seconds. */
const quorumRetry = 30;
/** Seconds within which a host joins, if it joins at all. */
const joiningTime = 600;

/** Conditional on the observed resourceVersion: the host may have joined since. */
const dropHook = ({ machine }: Member): Action =>
  patchAsObserved(machine, { metadata: { annotations: { [annotations.cleanupHook]: null } } });

const hookOf = ({ machine }: Member) => machine.metadata.annotations?.[annotations.cleanupHook];

const isWaiting = ({ machine }: Member): boolean => {
  const deleting = conditionOf(machine.status?.conditions, 'Deleting');
  return deleting?.status === 'True' && deleting.reason === 'WaitingForPreTerminateHook';
};

/**
 * Machines that wait for etcd. One whose etcd does not answer comes first: its removal keeps the
 * quorum, and may be what the others wait for.
 */
const leaving = (controlPlane: ControlPlane): Member[] => {
  const rank = (member: Member) => {
    const { deletionTimestamp, name } = member.machine.metadata;
    return `${Number(etcdAnswers(controlPlane, nodeOf(member)))} ${deletionTimestamp} ${name}`;
  };
  return controlPlane.members
    .filter((member) => isGoing(member) && hookOf(member) !== undefined && isWaiting(member))
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
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

interface Departure {
  member: Member;
  /** Removes what etcd has of the Machine, and lets its deletion go on. */
  actions: Action[];
  /** Why the Machine must keep its host for now; empty if it may leave. */
  heldBy: string;
}

/** Undefined while other hooks hold the Machine. */
const departureOf = (controlPlane: ControlPlane, member: Member, now: number): Departure | undefined => {
  const { members, live, kcp, workload } = controlPlane;
  // From 1.31 on, the kubelet uses the API server of its own Node: other hooks may still need the
  // Node to work.
  const waitsForOthers = isAtLeastMinor(kcp.spec?.version ?? '', 31) && otherTerminateHooks(member.machine).length > 0;
  if (waitsForOthers) return undefined;
  const gone = { member, actions: [dropHook(member)], heldBy: '' };
  const held = (heldBy: string) => ({ member, actions: [], heldBy });
  if (members.length === 1 || !managesEtcd(controlPlane)) return gone;
  const hasNode = nodeOf(member) !== undefined;
  // No control plane runs yet that the host could join.
  if (!hasNode && !isInitialized(controlPlane)) return gone;
  const etcd = live.etcd && found(live.etcd.status);
  if (!etcd) return held(etcdUnread(controlPlane));
  const own = etcdMemberOf(etcd, member);
  if (!own) return !hasNode && mayJoin(member, now) ? held('its host may still join etcd') : gone;
  // Without another API server, no replacement could join.
  const isServed = workload?.controlPlanePods.some(
    ({ component, node, ready }) => component === 'kube-apiserver' && ready && node !== own.name,
  );
  if (!isServed) return held('no other API server is ready');
  if (!keepsQuorum(etcd, controlPlane, { without: own.id })) {
    const silent = unhealthyMembers(etcd, controlPlane, own.id).join(', ');
    return held(`etcd would lose its quorum without its member${silent && `: repair or delete first ${silent}`}`);
  }
  return {
    member,
    actions: [...forwardLeadership(controlPlane, member), ...removeMember(controlPlane, own), dropHook(member)],
    heldBy: '',
  };
};

const departures = (controlPlane: ControlPlane, now: number): Departure[] =>
  leaving(controlPlane).flatMap((member) => departureOf(controlPlane, member, now) ?? []);

/** Releases a deleted Machine once etcd no longer needs it. */
export const releaseNext: Step = (controlPlane, { now }) => {
  const next = departures(controlPlane, now).find(({ heldBy }) => heldBy === '');
  return next && { actions: next.actions, again: true };
};

/** Deleted Machines that etcd still needs. */
export const heldMembers = (controlPlane: ControlPlane, now: number): Member[] =>
  departures(controlPlane, now).flatMap(({ member, heldBy }) => (heldBy === '' ? [] : [member]));

/** Waits with the deleted Machines that etcd still needs; their hooks tell users why. */
export const holdLeaving: Step = (controlPlane, { now }) => {
  const held = departures(controlPlane, now);
  if (held.length === 0) return undefined;
  const unannotated = held.filter(({ member, heldBy }) => hookOf(member) !== heldBy);
  return {
    waitsFor: held.map(({ member, heldBy }) => `Machine ${nameOf(member)} cannot be terminated: ${heldBy}`),
    actions: unannotated.map(({ member: { machine }, heldBy }) =>
      patchAsObserved(machine, { metadata: { annotations: { [annotations.cleanupHook]: heldBy } } }),
    ),
    requeueAfter: quorumRetry,
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
