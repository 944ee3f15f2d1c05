/** What may be done to etcd without losing its quorum. Pure. */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { isUnhealthy } from '../../core/contract/machines.ts';
import { callWorkload } from '../../ports/index.ts';
import type { EtcdMember, EtcdStatus } from '../../ports/workload.ts';
import {
  byAge,
  type ControlPlane,
  isConditionTrue,
  isGoing,
  isUpToDate,
  type Member,
  nodeOf,
} from './control-plane.ts';

/** By its address while its node is not known: it joins etcd before it is seen as a Node. */
export const etcdMemberOf = (etcd: EtcdStatus, member: Member): EtcdMember | undefined => {
  const node = nodeOf(member);
  if (node !== undefined) return etcd.members.find(({ name }) => name === node);
  const addresses = new Set(member.machine.status?.addresses?.map(({ address }) => address));
  return etcd.members.find(({ peerURLs }) => peerURLs.some((url) => addresses.has(new URL(url).hostname)));
};

const isHealthy = (etcd: EtcdStatus, { id, name }: EtcdMember, members: Member[]): boolean => {
  if (name === '') return false;
  const member = members.find((m) => nodeOf(m) === name);
  if (member && !isGoing(member)) return isConditionTrue(member, 'EtcdMemberHealthy');
  return !etcd.alarms.some(({ memberID }) => memberID === id);
};

/** Whether etcd still works after a member was taken out or one was added that has not started yet. */
export const keepsQuorum = (
  etcd: EtcdStatus,
  members: Member[],
  { without, plusOne = false }: { without?: string; plusOne?: boolean },
): boolean => {
  const remaining = etcd.members.filter(({ id }) => id !== without);
  const learners = remaining.filter(({ isLearner, name }) => isLearner || name === '').length;
  const voters = remaining.filter(({ isLearner }) => !isLearner);
  const unhealthy = voters.filter((member) => !isHealthy(etcd, member, members)).length;
  // A second member is not counted as unhealthy: the first alone is the quorum until it has started.
  const addedUnhealthy = plusOne && remaining.length > 1 ? 1 : 0;
  const voting = voters.length + (plusOne ? 1 : 0);
  const quorum = Math.floor(voting / 2) + 1;
  return voting - unhealthy - addedUnhealthy >= quorum && learners === 0;
};

/** The machine to lead etcd in the place of `leaving`: rather healthy, up to date and new. */
const successorOf = (members: Member[], leaving: Member): Member | undefined => {
  const rank = (member: Member) =>
    [isConditionTrue(member, 'EtcdMemberHealthy'), !isUnhealthy(member.machine), isUpToDate(member)].map(Number);
  return members
    .filter((member) => member !== leaving && !isGoing(member) && nodeOf(member) !== undefined)
    .sort((a, b) => {
      const [left, right] = [rank(a), rank(b)];
      const at = left.findIndex((value, i) => value !== right[i]);
      return at >= 0 ? right[at]! - left[at]! : -byAge(a, b);
    })[0];
};

const liveEtcd = ({ live }: ControlPlane): EtcdStatus | undefined => live.etcd && found(live.etcd.status);

/** Moves the leadership away from a machine that is about to go; nothing when it does not lead. */
export const forwardLeadership = (controlPlane: ControlPlane, leaving: Member): Action[] => {
  const { live, members } = controlPlane;
  const etcd = liveEtcd(controlPlane);
  const own = etcd && etcdMemberOf(etcd, leaving);
  if (!live.etcd || !etcd || !own || etcd.leader !== own.id) return [];
  const successor = successorOf(members, leaving);
  const to = successor && etcdMemberOf(etcd, successor);
  return to ? [callWorkload('etcdMoveLeader', { ...live.etcd.access, to: to.id })] : [];
};

/** Takes a member out, through another one. */
export const removeMember = ({ live }: ControlPlane, member: EtcdMember): Action[] => {
  if (!live.etcd) return [];
  const { access } = live.etcd;
  const nodes = [
    ...access.nodes.filter((node) => node !== member.name),
    ...access.nodes.filter((n) => n === member.name),
  ];
  return [callWorkload('etcdRemoveMember', { ...access, nodes, memberID: member.id })];
};

/** A member that no node stands behind any more and that may go; a member that has no name never started. */
export const removableStranger = (controlPlane: ControlPlane): EtcdMember | undefined => {
  const { members, workload } = controlPlane;
  const etcd = liveEtcd(controlPlane);
  if (!etcd || !workload || etcd.members.length <= 1) return undefined;
  // A machine whose node is not known yet may be the one that the member belongs to.
  if (members.some((member) => nodeOf(member) === undefined)) return undefined;
  const isJoining = members.some((member) => !isGoing(member) && !etcdMemberOf(etcd, member));
  const known = new Set([...workload.nodes.map(({ name }) => name), ...members.map(nodeOf)]);
  // What joined since then may belong to a machine that was not there yet when they were listed.
  const seen = new Set(workload.etcd?.members.map(({ id }) => id));
  return etcd.members.find(({ id, name }) => {
    if (known.has(name) || !seen.has(id)) return false;
    return name === '' ? !isJoining : keepsQuorum(etcd, members, { without: id });
  });
};

/** Whether the last probe saw members that no node stands behind. */
export const hasStrangers = ({ workload }: Pick<ControlPlane, 'workload'>): boolean => {
  const nodes = new Set(workload?.nodes.map(({ name }) => name));
  return workload?.etcd?.members.some(({ name }) => !nodes.has(name)) ?? false;
};
