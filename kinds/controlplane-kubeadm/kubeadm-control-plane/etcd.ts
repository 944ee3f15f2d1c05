/** Changes to etcd that keep its quorum. Pure. */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { isUnhealthy } from '../../core/contract/machines.ts';
import { callWorkload } from '../../ports/index.ts';
import type { EtcdMember, EtcdStatus } from '../../ports/workload.ts';
import {
  byAge,
  type ControlPlane,
  etcdAnswers,
  isConditionTrue,
  isGoing,
  isUpToDate,
  type Member,
  nameOf,
  nodeOf,
} from './control-plane.ts';

/**
 * Matches by address while the Machine has no Node: a host joins etcd before it registers as a
 * Node.
 */
export const etcdMemberOf = (etcd: EtcdStatus, member: Member): EtcdMember | undefined => {
  const node = nodeOf(member);
  if (node !== undefined) return etcd.members.find(({ name }) => name === node);
  const addresses = new Set(member.machine.status?.addresses?.map(({ address }) => address));
  return etcd.members.find(({ peerURLs }) => peerURLs.some((url) => addresses.has(new URL(url).hostname)));
};

type Judged = Pick<ControlPlane, 'members' | 'workload'>;

/**
 * No condition reports the health of a Machine in deletion, or of a member without a Machine: that
 * member must answer.
 */
const isHealthy = (etcd: EtcdStatus, { id, name }: EtcdMember, { members, workload }: Judged): boolean => {
  if (name === '') return false;
  const member = members.find((m) => nodeOf(m) === name);
  if (member && !isGoing(member)) return isConditionTrue(member, 'EtcdMemberHealthy');
  return etcdAnswers({ workload }, name) && !etcd.alarms.some(({ memberID }) => memberID === id);
};

/** The members that do not count for the quorum, without the one that leaves. */
export const unhealthyMembers = (etcd: EtcdStatus, judged: Judged, without: string): string[] =>
  etcd.members
    .filter((one) => one.id !== without && !isHealthy(etcd, one, judged))
    .map(({ name, id }) => {
      const member = judged.members.find((one) => nodeOf(one) === name);
      return member ? `Machine ${nameOf(member)}` : `etcd member ${name || id}`;
    });

/**
 * Whether etcd keeps its quorum after removing a member, or adding one that has not started yet.
 */
export const keepsQuorum = (
  etcd: EtcdStatus,
  judged: Judged,
  { without, plusOne = false }: { without?: string; plusOne?: boolean },
): boolean => {
  const remaining = etcd.members.filter(({ id }) => id !== without);
  const learners = remaining.filter(({ isLearner, name }) => isLearner || name === '').length;
  const voters = remaining.filter(({ isLearner }) => !isLearner);
  const unhealthy = voters.filter((member) => !isHealthy(etcd, member, judged)).length;
  // A second member does not count as unhealthy: until it has started, the first alone is the
  // quorum.
  const addedUnhealthy = plusOne && remaining.length > 1 ? 1 : 0;
  const voting = voters.length + (plusOne ? 1 : 0);
  const quorum = Math.floor(voting / 2) + 1;
  return voting - unhealthy - addedUnhealthy >= quorum && learners === 0;
};

/**
 * The member to take over etcd's leadership from `leaving`: healthy, up to date and young ones
 * first.
 */
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

/** Why etcd's members are not known. */
export const etcdUnread = ({ live }: ControlPlane): string =>
  live.etcd?.status.state === 'unreadable'
    ? `the members of etcd could not be listed: ${live.etcd.status.reason}`
    : 'the members of etcd could not be listed';

/** Moves the leadership away from a Machine before its deletion; no action if it does not lead. */
export const forwardLeadership = (controlPlane: ControlPlane, leaving: Member): Action[] => {
  const { live, members } = controlPlane;
  const etcd = liveEtcd(controlPlane);
  const own = etcd && etcdMemberOf(etcd, leaving);
  if (!live.etcd || !etcd || !own || etcd.leader !== own.id) return [];
  const successor = successorOf(members, leaving);
  const to = successor && etcdMemberOf(etcd, successor);
  return to ? [callWorkload('etcdMoveLeader', { ...live.etcd.access, to: to.id })] : [];
};

/** Removes a member, by a request to another one. */
export const removeMember = ({ live }: ControlPlane, member: EtcdMember): Action[] => {
  if (!live.etcd) return [];
  const { access } = live.etcd;
  const nodes = [
    ...access.nodes.filter((node) => node !== member.name),
    ...access.nodes.filter((n) => n === member.name),
  ];
  return [callWorkload('etcdRemoveMember', { ...access, nodes, memberID: member.id })];
};

/** An etcd member without a Node that may be removed. A member without a name never started. */
export const removableMember = (controlPlane: ControlPlane): EtcdMember | undefined => {
  const { members, workload } = controlPlane;
  const etcd = liveEtcd(controlPlane);
  if (!etcd || !workload || etcd.members.length <= 1) return undefined;
  // The member may belong to a Machine whose Node is not known yet.
  if (members.some((member) => nodeOf(member) === undefined)) return undefined;
  const isJoining = members.some((member) => !isGoing(member) && !etcdMemberOf(etcd, member));
  const known = new Set([...workload.nodes.map(({ name }) => name), ...members.map(nodeOf)]);
  // A member that joined after the last probe may belong to a Machine created since.
  const seen = new Set(workload.etcd?.members.map(({ id }) => id));
  return etcd.members.find(({ id, name }) => {
    if (known.has(name) || !seen.has(id)) return false;
    return name === '' ? !isJoining : keepsQuorum(etcd, controlPlane, { without: id });
  });
};

/** Whether the last probe found etcd members without a Node. */
export const hasUnknownMembers = ({ workload }: Pick<ControlPlane, 'workload'>): boolean => {
  const nodes = new Set(workload?.nodes.map(({ name }) => name));
  return workload?.etcd?.members.some(({ name }) => !nodes.has(name)) ?? false;
};
