/** The end of a machine that was deleted, by whomever: its etcd member goes after the drain and before the instance. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import { deletionOf, patchAsObserved } from '../../common/owners.ts';
import { mayHaveLaunched } from '../../core/contract/launch.ts';
import { providerIdOf } from '../../core/contract/machine.ts';
import { type ControlPlane, isGoing, isInitialized, type Member, managesEtcd, nodeOf } from './control-plane.ts';
import { otherTerminateHooks } from './creation.ts';
import { etcdMemberOf, forwardLeadership, keepsQuorum, removableStranger, removeMember } from './etcd.ts';
import { annotations } from './names.ts';

/** Seconds. */
const quorumRetry = 30;
/** Seconds in which a machine joins, or most likely never does. */
const joiningTime = 600;

/** As it was seen: it may have joined since. */
const dropHook = ({ machine }: Member): Action =>
  patchAsObserved(machine, { metadata: { annotations: { [annotations.cleanupHook]: null } } });

const hasHook = ({ machine }: Member) => machine.metadata.annotations?.[annotations.cleanupHook] !== undefined;

const isWaiting = ({ machine }: Member): boolean => {
  const deleting = conditionOf(machine.status?.conditions, 'Deleting');
  return deleting?.status === 'True' && deleting.reason === 'WaitingForPreTerminateHook';
};

/** The machine that was deleted first; the others wait for it. */
export const nextToLeave = ({ members }: ControlPlane): Member | undefined => {
  const since = ({ machine: { metadata } }: Member) => `${metadata.deletionTimestamp} ${metadata.name}`;
  return members
    .filter((member) => isGoing(member) && hasHook(member))
    .sort((a, b) => (since(a) < since(b) ? -1 : 1))[0];
};

const mayHaveHost = (infraMachine: KubeObject): boolean =>
  providerIdOf(infraMachine) !== undefined || mayHaveLaunched(infraMachine);

/**
 * It has a host and has not joined: were that ended now, it might just have become a member, whom nobody could take out any more.
 * A host that nobody has seen run yet, or seen at all, boots since its machine was deleted, at the latest.
 */
const mayJoin = ({ machine, infraMachine }: Member, now: number): boolean => {
  const ready = conditionOf(machine.status?.conditions, 'InfrastructureReady');
  const isRunning = ready?.status === 'True';
  if (!isRunning && !(infraMachine && mayHaveHost(infraMachine))) return false;
  const since = isRunning ? ready.lastTransitionTime : (machine.metadata.deletionTimestamp ?? '');
  return now < Date.parse(since) + joiningTime * 1000;
};

/** Lets a deleted machine go on once etcd no longer needs it; undefined when none is at that point. */
export const letGo = (controlPlane: ControlPlane, { now }: Pick<Context, 'now'>): Plan | undefined => {
  const { members, live, kcp, workload } = controlPlane;
  const member = nextToLeave(controlPlane);
  if (!member || !isWaiting(member)) return undefined;
  // The kubelet uses the API server of its own node from 1.31 on: other hooks may still need the node to work.
  const waitsForOthers = isAtLeastMinor(kcp.spec?.version ?? '', 31) && otherTerminateHooks(member.machine).length > 0;
  if (waitsForOthers) return undefined;
  const gone = { actions: [dropHook(member)], again: true };
  if (members.length === 1 || !managesEtcd(controlPlane)) return gone;
  const hasNode = nodeOf(member) !== undefined;
  // Nothing runs yet that it could join.
  if (!hasNode && !isInitialized(controlPlane)) return gone;
  const etcd = live.etcd && found(live.etcd.status);
  if (!etcd) return { requeueAfter: quorumRetry };
  const own = etcdMemberOf(etcd, member);
  if (!own) return !hasNode && mayJoin(member, now) ? { requeueAfter: quorumRetry } : gone;
  // Without an API server nobody could come in its place.
  const isServed = workload?.controlPlanePods.some(
    ({ component, node, ready }) => component === 'kube-apiserver' && ready && node !== own.name,
  );
  if (!isServed || !keepsQuorum(etcd, members, { without: own.id })) return { requeueAfter: quorumRetry };
  return {
    actions: [...forwardLeadership(controlPlane, member), ...removeMember(controlPlane, own), dropHook(member)],
    again: true,
  };
};

/** Seconds for which nobody may have had any use for it: who sees it may not see yet what it is for. */
const strayTime = 600;
/** When it may go, in milliseconds since the epoch. */
export const strayEnd = ({ metadata }: KubeObject): number =>
  Date.parse(metadata.creationTimestamp ?? '') + strayTime * 1000;

/** Deletes what was made for a Machine that is gone; undefined when there is nothing. */
export const removeStrays = ({ strays }: ControlPlane, { now }: Pick<Context, 'now'>): Plan | undefined => {
  const old = strays.filter((stray) => now >= strayEnd(stray));
  return old.length > 0 ? { actions: old.map(deletionOf), again: true } : undefined;
};

/** Takes members out of etcd that no machine stands behind; undefined when there are none. */
export const removeStrangers = (controlPlane: ControlPlane): Plan | undefined => {
  const stranger = removableStranger(controlPlane);
  if (!stranger) return undefined;
  return { actions: removeMember(controlPlane, stranger), requeueAfter: 1 };
};
