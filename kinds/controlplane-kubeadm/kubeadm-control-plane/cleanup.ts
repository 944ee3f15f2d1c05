/**
 * Removes a deleted Machine's etcd member, regardless of who deleted the Machine: after the drain
 * and before the instance is terminated. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, found } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
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
/** Seconds: no event announces that the infrastructure provider knows that there is no host. */
const launchRetry = 5;
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

type Time = Pick<Context, 'now' | 'config'>;

const isLaunched = ({ infraMachine }: Member): boolean =>
  infraMachine !== undefined && providerIdOf(infraMachine) !== undefined;

const mayHaveHost = (infraMachine: KubeObject): boolean =>
  providerIdOf(infraMachine) !== undefined || mayHaveLaunched(infraMachine);

/**
 * The Machine may have a host that has not joined yet. If its deletion went on now, the host could
 * still become an etcd member that no controller would remove. A host that is not known to run
 * counts as booting since the Machine's deletion at the latest.
 */
const mayJoin = ({ machine, infraMachine }: Member, { now, config }: Time): boolean => {
  const ready = conditionOf(machine.status?.conditions, 'InfrastructureReady');
  const isRunning = ready?.status === 'True';
  if (!isRunning && !(infraMachine && mayHaveHost(infraMachine))) return false;
  const since = (isRunning ? ready.lastTransitionTime : machine.metadata.deletionTimestamp) ?? '';
  return now < Date.parse(since) + (joiningTime * 1000) / speedOf(config);
};

interface Departure {
  member: Member;
  /** Removes what etcd has of the Machine, and lets its deletion go on. */
  actions: Action[];
  /** Why the Machine must keep its host for now; empty if it may leave. */
  heldBy: string;
  /** Seconds after which it is decided again. */
  retry: number;
}

/** Undefined while other hooks hold the Machine. */
const departureOf = (controlPlane: ControlPlane, member: Member, time: Time): Departure | undefined => {
  const { members, live, kcp, workload } = controlPlane;
  // From 1.31 on, the kubelet uses the API server of its own Node: other hooks may still need the
  // Node to work.
  const waitsForOthers = isAtLeastMinor(kcp.spec?.version ?? '', 31) && otherTerminateHooks(member.machine).length > 0;
  if (waitsForOthers) return undefined;
  const gone = { member, actions: [dropHook(member)], heldBy: '', retry: quorumRetry };
  const held = (heldBy: string, retry = quorumRetry) => ({ member, actions: [], heldBy, retry });
  if (members.length === 1 || !managesEtcd(controlPlane)) return gone;
  const hasNode = nodeOf(member) !== undefined;
  // No control plane runs yet that the host could join.
  if (!hasNode && !isInitialized(controlPlane)) return gone;
  const etcd = live.etcd && found(live.etcd.status);
  if (!etcd) return held(etcdUnread(controlPlane));
  const own = etcdMemberOf(etcd, member);
  if (!own)
    return !hasNode && mayJoin(member, time)
      ? held('its host may still join etcd', isLaunched(member) ? quorumRetry : launchRetry)
      : gone;
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
    retry: quorumRetry,
  };
};

const departures = (controlPlane: ControlPlane, time: Time): Departure[] =>
  leaving(controlPlane).flatMap((member) => departureOf(controlPlane, member, time) ?? []);

/** Releases a deleted Machine once etcd no longer needs it. */
export const releaseNext: Step = (controlPlane, context) => {
  const next = departures(controlPlane, context).find(({ heldBy }) => heldBy === '');
  return next && { actions: next.actions, again: true };
};

/** Deleted Machines that etcd still needs. */
export const heldMembers = (controlPlane: ControlPlane, time: Time): Member[] =>
  departures(controlPlane, time).flatMap(({ member, heldBy }) => (heldBy === '' ? [] : [member]));

/** Waits with the deleted Machines that etcd still needs; their hooks tell users why. */
export const holdLeaving: Step = (controlPlane, context) => {
  const held = departures(controlPlane, context);
  if (held.length === 0) return undefined;
  const unannotated = held.filter(({ member, heldBy }) => hookOf(member) !== heldBy);
  return {
    waitsFor: held.map(({ member, heldBy }) => `Machine ${nameOf(member)} cannot be terminated: ${heldBy}`),
    actions: unannotated.map(({ member: { machine }, heldBy }) =>
      patchAsObserved(machine, { metadata: { annotations: { [annotations.cleanupHook]: heldBy } } }),
    ),
    requeueAfter: Math.min(...held.map(({ retry }) => retry)),
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
