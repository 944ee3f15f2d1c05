/**
 * Replaces Machines that a health check found unhealthy, as far as the control plane tolerates it.
 * Pure.
 */

import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { type Context, found } from '../../../machinery/api/reconcile.ts';
import { isToBeRemediated, isUnhealthy } from '../../core/contract/machines.ts';
import { clearRemark, isMarked, type Remark, remark, replace } from '../../core/contract/remediation.ts';
import { heldMembers } from './cleanup.ts';
import {
  byAge,
  type ControlPlane,
  desiredReplicas,
  hasHealthyComponents,
  isConditionTrue,
  isGoing,
  isInitialized,
  type Member,
  managesEtcd,
  nameOf,
  needsRollout,
  nodeOf,
} from './control-plane.ts';
import { etcdMemberOf, forwardLeadership, keepsQuorum } from './etcd.ts';
import { annotations } from './names.ts';
import { certificateProblems } from './preflight.ts';
import { isRemediating } from './scale.ts';
import { type StepPlan, waitFor } from './step.ts';

/** The record of a remediation: first on the control plane, then on the replacement. */
export interface Remediation {
  machine: string;
  /** RFC 3339. */
  timestamp: string;
  retryCount: number;
}

const defaultHealthyPeriod = 3600;
/** Seconds. */
const deferredRetry = 30;

export const parseRemediation = (text: string | undefined): Remediation | undefined => {
  try {
    const data = JSON.parse(text ?? 'null') as Partial<Remediation> | null;
    if (typeof data?.machine !== 'string' || typeof data.timestamp !== 'string') return undefined;
    return { machine: data.machine, timestamp: data.timestamp, retryCount: Number(data.retryCount ?? 0) };
  } catch {
    return undefined;
  }
};

/** The latest recorded remediation. */
export const lastRemediation = ({ kcp, members }: Pick<ControlPlane, 'kcp' | 'members'>): Remediation | undefined => {
  const noted = [kcp.metadata.annotations?.[annotations.remediationInProgress]];
  const carried = members.map(({ machine }) => machine.metadata.annotations?.[annotations.remediationFor]);
  return [...noted, ...carried]
    .map(parseRemediation)
    .filter((remediation) => remediation !== undefined)
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0];
};

/** The Machine to remediate first. */
export const worstOf = (members: Member[]): Member | undefined => {
  const ills = [
    ({ machine }: Member) => isMarked(machine),
    (member: Member) => nodeOf(member) === undefined,
    ...[
      'EtcdMemberHealthy',
      'EtcdPodHealthy',
      'APIServerPodHealthy',
      'ControllerManagerPodHealthy',
      'SchedulerPodHealthy',
      'NodeKubeadmLabelsAndTaintsSet',
    ].map((type) => (member: Member) => !isConditionTrue(member, type)),
  ];
  const rank = (member: Member) => {
    const first = ills.findIndex((isIll) => isIll(member));
    return first < 0 ? ills.length : first;
  };
  return members
    .filter(({ machine }) => isToBeRemediated(machine))
    .filter((member) => !isGoing(member))
    .sort((a, b) => rank(a) - rank(b) || byAge(a, b))[0];
};

const defer = (message: string): Remark => ({ reason: 'RemediationDeferred', message });
const refuse = (message: string): Remark => ({ reason: 'CannotBeRemediated', message });

const limitsOf = ({ kcp }: Pick<ControlPlane, 'kcp'>) => {
  const {
    minHealthyPeriodSeconds = defaultHealthyPeriod,
    retryPeriodSeconds = 0,
    maxRetry,
  } = kcp.spec?.remediation ?? {};
  return { minHealthyPeriodSeconds, retryPeriodSeconds, maxRetry };
};
const previousOf = ({ machine }: Member) =>
  parseRemediation(machine.metadata.annotations?.[annotations.remediationFor]);

/** When the passage of time alone allows a remediation, in milliseconds. */
export const nextTries = (controlPlane: ControlPlane): number[] => {
  const { minHealthyPeriodSeconds, retryPeriodSeconds } = limitsOf(controlPlane);
  return controlPlane.members
    .filter(({ machine }) => isToBeRemediated(machine))
    .flatMap((member) => previousOf(member) ?? [])
    .flatMap((previous) =>
      [minHealthyPeriodSeconds, retryPeriodSeconds].map((seconds) => Date.parse(previous.timestamp) + seconds * 1000),
    );
};

/** Counts consecutive remediations of a Machine and its replacements. */
const nextTry = (controlPlane: ControlPlane, member: Member, now: number): Remediation | Remark => {
  const fresh: Remediation = { machine: nameOf(member), timestamp: timestamp(now), retryCount: 0 };
  const previous = previousOf(member);
  if (!previous) return fresh;
  const { minHealthyPeriodSeconds, retryPeriodSeconds, maxRetry } = limitsOf(controlPlane);
  const since = (now - Date.parse(previous.timestamp)) / 1000;
  if (since >= minHealthyPeriodSeconds) return fresh;
  if (since < retryPeriodSeconds)
    return defer(
      `KubeadmControlPlane can't remediate this machine because the operation already failed in the latest retry period (${retryPeriodSeconds}s)`,
    );
  if (maxRetry !== undefined && previous.retryCount >= maxRetry)
    return refuse(
      `KubeadmControlPlane can't remediate this machine because the operation already failed ${maxRetry} times (MaxRetry)`,
    );
  return { ...fresh, retryCount: previous.retryCount + 1 };
};

/** Why the control plane would not survive without this Machine. */
const obstacle = (controlPlane: ControlPlane, member: Member, context: Context): Remark | undefined => {
  const { members, live } = controlPlane;
  if (!isInitialized(controlPlane)) return undefined;
  // A single desired replica is never remediated, unless a rollout has added Machines.
  if (members.length <= 1 || (desiredReplicas(controlPlane) <= 1 && !needsRollout(controlPlane)))
    return refuse("KubeadmControlPlane can't remediate if current replicas are less or equal to 1");
  const uncertified = members.length <= desiredReplicas(controlPlane) ? certificateProblems(controlPlane) : [];
  if (uncertified.length > 0) return refuse(uncertified.join());
  const provisioning = members.filter(
    (other) => nodeOf(other) === undefined && !isUnhealthy(other.machine) && other !== member,
  );
  if (provisioning.length > 0)
    return defer('KubeadmControlPlane waiting for control plane Machine provisioning to complete');
  // A Machine that etcd still needs may wait for this very remediation.
  const held = heldMembers(controlPlane, context);
  if (members.some((other) => isGoing(other) && !held.includes(other)))
    return defer('KubeadmControlPlane waiting for control plane Machine to complete deletion');
  const others = members.filter((other) => other !== member);
  if (!others.some((other) => hasHealthyComponents(controlPlane, other)))
    return refuse(
      "KubeadmControlPlane can't remediate this Machine because there would be no healthy control plane left",
    );
  if (!managesEtcd(controlPlane)) return undefined;
  const etcd = live.etcd && found(live.etcd.status);
  if (!etcd) return defer('KubeadmControlPlane waiting for the members of etcd to be known');
  const own = etcdMemberOf(etcd, member);
  return keepsQuorum(etcd, controlPlane, own ? { without: own.id } : {})
    ? undefined
    : refuse("KubeadmControlPlane can't remediate this Machine because this could result in etcd loosing quorum");
};

/**
 * The noted remediation got stuck: the pass that noted it did not delete the Machine, or no
 * replacement follows because there are enough Machines without it.
 */
const isForNothing = (controlPlane: ControlPlane): boolean => {
  const { kcp, members } = controlPlane;
  if (!isRemediating(controlPlane)) return false;
  const noted = parseRemediation(kcp.metadata.annotations?.[annotations.remediationInProgress]);
  const isEnough = members.length >= desiredReplicas(controlPlane) && !needsRollout(controlPlane);
  return (
    members.some((member) => nameOf(member) === noted?.machine && !isGoing(member)) ||
    (isEnough && !members.some(isGoing))
  );
};

/** Starts the remediation of one Machine; undefined if none needs it or one is under way. */
export const remediate = (controlPlane: ControlPlane, context: Context): StepPlan | undefined => {
  // Evaluates again: meanwhile the Machine may have recovered, or another may be unhealthy.
  if (isForNothing(controlPlane))
    return { intent: { metadata: { annotations: { [annotations.remediationInProgress]: null } } }, again: true };
  const well = controlPlane.members.flatMap(({ machine }) => clearRemark(machine));
  if (well.length > 0) return { actions: well, again: true };
  const member = worstOf(controlPlane.members);
  if (!member || isRemediating(controlPlane)) return undefined;
  const attempt = nextTry(controlPlane, member, context.now);
  const isEarly = 'reason' in attempt;
  const why = isEarly ? attempt : obstacle(controlPlane, member, context);
  if (why) {
    const actions = remark(member.machine, why);
    // A deferred remediation that may soon go ahead blocks the later steps; a refused or premature
    // one does not.
    const isAwaited = !isEarly && why.reason === 'RemediationDeferred';
    if (actions.length > 0) return { actions, requeueAfter: deferredRetry };
    return isAwaited ? waitFor(why.message, deferredRetry) : undefined;
  }
  return {
    intent: { metadata: { annotations: { [annotations.remediationInProgress]: JSON.stringify(attempt) } } },
    actions: [...forwardLeadership(controlPlane, member), ...replace(member.machine)],
    again: true,
  };
};
