/** Adds and deletes Machines, one at a time. Pure. */
import type { Context } from '../../../machinery/api/reconcile.ts';
import { absenceOf, found } from '../../../machinery/api/reconcile.ts';
import { annotations as common } from '../../common/labels.ts';
import { deletionOf } from '../../common/owners.ts';
import { quotaMessages, quotaRetry } from '../../core/contract/machine-quota.ts';
import {
  type ControlPlane,
  desiredReplicas,
  hasHealthyComponents,
  isGoing,
  isInitialized,
  isUpToDate,
  type Member,
  managesEtcd,
  needsRollout,
  nodeOf,
} from './control-plane.ts';
import { createMachine } from './creation.ts';
import { forwardLeadership, keepsQuorum } from './etcd.ts';
import { machineToTake } from './failure-domains.ts';
import { kubeadmConfigFault } from './kubeadm-config-map.ts';
import { annotations } from './names.ts';
import { certificateProblems, preflight } from './preflight.ts';
import { type StepPlan, type Waiting, waitFor } from './step.ts';

/** Seconds. An event announces a recovery or a deletion; this is only the resync. */
const preflightRetry = 300;

export const waitsForInit = 'Waiting for the first control plane Machine to run kubeadm init';

const templateOf = ({ kcp }: ControlPlane): string => kcp.spec!.machineTemplate.spec.infrastructureRef.kind;

const blocked = (problems: string[]): Waiting => ({
  waitsFor: problems,
  events: [
    {
      type: 'Warning',
      reason: 'ControlPlaneUnhealthy',
      message: `Waiting for control plane to pass preflight checks to continue reconciliation: ${problems.join('; ')}`,
    },
  ],
  requeueAfter: preflightRetry,
});

/**
 * Why no replacement may be added. It may join while other Machines are unhealthy, if one healthy
 * Machine stays and etcd keeps its quorum.
 */
const mayReplace = (controlPlane: ControlPlane): string[] => {
  const { members, live } = controlPlane;
  const uncertified = certificateProblems(controlPlane);
  if (uncertified.length > 0) return uncertified;
  const staying = members.filter((member) => !isGoing(member));
  if (!staying.some((member) => hasHealthyComponents(controlPlane, member)))
    return ['there is no Machine with healthy control plane components to join'];
  const etcd = live.etcd && found(live.etcd.status);
  if (managesEtcd(controlPlane) && !etcd) return ['the members of etcd could not be listed'];
  if (etcd && !keepsQuorum(etcd, controlPlane, { plusOne: true }))
    return ['etcd would lose its quorum with one more member'];
  return members.some(isGoing) ? ['a Machine is being deleted'] : [];
};

export const isRemediating = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean =>
  kcp.metadata.annotations?.[annotations.remediationInProgress] !== undefined;

/** A rollback replaces Machines that may never become healthy, as a remediation does. */
const isReplacing = (controlPlane: ControlPlane): boolean =>
  isRemediating(controlPlane) || (controlPlane.admission.state === 'RolledBack' && needsRollout(controlPlane));

/** Adds one Machine; the first one initializes the cluster. */
export const scaleUp = (controlPlane: ControlPlane, context: Context): StepPlan => {
  const { members, template, quotas, restore } = controlPlane;
  if (template.state !== 'found') return waitFor(absenceOf(template, templateOf(controlPlane)));
  const exceeded = quotaMessages(quotas, 1);
  if (exceeded.length > 0) return { ...blocked(exceeded), requeueAfter: quotaRetry };
  if (members.length === 0)
    return createMachine(controlPlane, !isInitialized(controlPlane) || restore?.step === 'First', context);
  const fault = kubeadmConfigFault(controlPlane);
  const problems = [
    ...(isReplacing(controlPlane) ? mayReplace(controlPlane) : preflight(controlPlane, { adding: true })),
    ...(fault === undefined ? [] : [fault]),
  ];
  return problems.length > 0 ? blocked(problems) : createMachine(controlPlane, false, context);
};

/**
 * The Machines of a new revision, if there are more than an upgrade admits for now: scaling up added them.
 * Otherwise scaling down again would complete a rollout that is paused.
 */
const beyondLimit = ({ members, admission }: ControlPlane): Member[] => {
  const updated = members.filter((member) => isUpToDate(member) && !isGoing(member));
  return admission.state === 'Admitted' && updated.length > admission.most ? updated : [];
};

/**
 * The group from which to delete a Machine: marked ones first, then outdated ones, unhealthy before
 * healthy. While one is unhealthy the preflight lets no other go, so the unhealthy one goes first.
 */
const eligible = (controlPlane: ControlPlane): Member[] => {
  const { members } = controlPlane;
  const isIll = (member: Member) => !hasHealthyComponents(controlPlane, member);
  const isMarked = ({ machine }: Member) => machine.metadata.annotations?.[common.deleteMachine] !== undefined;
  const outdated = members.filter((member) => !isUpToDate(member));
  const beyond = beyondLimit(controlPlane);
  const groups = [
    outdated.filter(isMarked),
    members.filter(isMarked),
    beyond.filter(isIll),
    beyond,
    outdated.filter(isIll),
    outdated,
    members.filter(isIll),
    members,
  ];
  return groups.find((group) => group.length > 0) ?? [];
};

/**
 * Deletes one Machine and moves etcd's leadership first; the cleanup hook removes its etcd member.
 */
export const scaleDown = (controlPlane: ControlPlane): StepPlan | undefined => {
  const { cluster, members } = controlPlane;
  const member = machineToTake(cluster, members, eligible(controlPlane));
  if (!member) return undefined;
  // Without a surge another Machine follows the deleted one.
  const adding = members.length <= desiredReplicas(controlPlane);
  const problems = preflight(controlPlane, { adding, except: member });
  if (problems.length > 0) return blocked(problems);
  return { actions: [...forwardLeadership(controlPlane, member), deletionOf(member.machine)], again: true };
};

export const surgeOf = ({ kcp }: ControlPlane): number =>
  Number(kcp.spec?.rollout?.strategy?.rollingUpdate?.maxSurge ?? 1);

/**
 * An upgrade that is held keeps the Machines that it has, also those beyond the desired number. While none admits
 * the spec, nothing says which of two revisions is the one to go.
 */
export const mostMembers = (controlPlane: ControlPlane): number => {
  const { members, admission } = controlPlane;
  const desired = desiredReplicas(controlPlane);
  if (!needsRollout(controlPlane)) return desired;
  const isMixed = members.some((member) => isUpToDate(member) && !isGoing(member));
  if (admission.state === 'Waiting' && isMixed) return Number.POSITIVE_INFINITY;
  const isHeld = admission.state === 'Admitted' && admission.held === true && Number.isFinite(admission.most);
  return desired + (isHeld ? surgeOf(controlPlane) : 0);
};

/**
 * A Machine beyond the desired number that the spec no longer asks for and that has not joined: nothing is lost with
 * it, and while no upgrade admits the spec it would only join.
 */
const withdrawn = ({ members, admission, ...controlPlane }: ControlPlane): Member | undefined => {
  const staying = members.filter((member) => !isGoing(member));
  if (admission.state !== 'Waiting' || staying.length <= desiredReplicas(controlPlane)) return undefined;
  if (!staying.some(({ isAskedFor }) => isAskedFor)) return undefined;
  return staying.find((member) => !member.isAskedFor && nodeOf(member) === undefined);
};

/** Moves the number of Machines to the desired one; undefined once it is reached. */
export const scale = (controlPlane: ControlPlane, context: Context): StepPlan | undefined => {
  const { members } = controlPlane;
  const desired = desiredReplicas(controlPlane);
  if (members.length === 0) return scaleUp(controlPlane, context);
  // The second Machine joins the cluster that the first has initialized.
  if (!isInitialized(controlPlane)) return waitFor(waitsForInit);
  const taken = withdrawn(controlPlane);
  if (taken) return { actions: [deletionOf(taken.machine)], again: true };
  if (members.length < desired) return scaleUp(controlPlane, context);
  if (members.length > mostMembers(controlPlane)) return scaleDown(controlPlane);
  return undefined;
};
