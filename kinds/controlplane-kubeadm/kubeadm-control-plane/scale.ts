/** Adds and takes machines, one at a time. Pure. */
import type { Context, Plan } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
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
} from './control-plane.ts';
import { createMachine } from './creation.ts';
import { forwardLeadership, keepsQuorum } from './etcd.ts';
import { machineToTake } from './failure-domains.ts';
import { annotations } from './names.ts';
import { preflight } from './preflight.ts';

/** Seconds: whoever gets well, or goes, wakes us. */
const preflightRetry = 300;

const blocked = (problems: string[]): Plan => ({
  events: [
    {
      type: 'Warning',
      reason: 'ControlPlaneUnhealthy',
      message: `Waiting for control plane to pass preflight checks to continue reconciliation: ${problems.join('; ')}`,
    },
  ],
  requeueAfter: preflightRetry,
});

/** A replacement may come while others are not well, as long as somebody is left to join and etcd bears it. */
const mayReplace = (controlPlane: ControlPlane): string[] => {
  const { members, live } = controlPlane;
  const staying = members.filter((member) => !isGoing(member));
  if (!staying.some((member) => hasHealthyComponents(controlPlane, member)))
    return ['there is no Machine with healthy control plane components to join'];
  const etcd = live.etcd && found(live.etcd.status);
  if (live.etcd && !etcd) return ['the members of etcd could not be listed'];
  if (etcd && !keepsQuorum(etcd, members, { plusOne: true }))
    return ['etcd would lose its quorum with one more member'];
  return members.some(isGoing) ? ['a Machine is being deleted'] : [];
};

export const isRemediating = ({ kcp }: ControlPlane): boolean =>
  kcp.metadata.annotations?.[annotations.remediationInProgress] !== undefined;

/** Adds one machine; the first one initialises the cluster. */
export const scaleUp = (controlPlane: ControlPlane, context: Context): Plan => {
  const { members, template, quotas } = controlPlane;
  if (template.state !== 'found') return {};
  const exceeded = quotaMessages(quotas, 1);
  if (exceeded.length > 0) return { ...blocked(exceeded), requeueAfter: quotaRetry };
  if (members.length === 0) return createMachine(controlPlane, !isInitialized(controlPlane), context);
  const problems = isRemediating(controlPlane) ? mayReplace(controlPlane) : preflight(controlPlane, { adding: true });
  return problems.length > 0 ? blocked(problems) : createMachine(controlPlane, false, context);
};

/**
 * The group from which a machine is taken: marked ones first, then outdated ones, ill ones before others. While one is ill, no
 * other may go; so it is the ill one that goes.
 */
const eligible = (controlPlane: ControlPlane): Member[] => {
  const { members } = controlPlane;
  const isIll = (member: Member) => !hasHealthyComponents(controlPlane, member);
  const isMarked = ({ machine }: Member) => machine.metadata.annotations?.[common.deleteMachine] !== undefined;
  const outdated = members.filter((member) => !isUpToDate(member));
  const groups = [
    outdated.filter(isMarked),
    members.filter(isMarked),
    outdated.filter(isIll),
    outdated,
    members.filter(isIll),
    members,
  ];
  return groups.find((group) => group.length > 0) ?? [];
};

/** Takes one machine; etcd's leadership goes first, the rest of its departure is the hook's. */
export const scaleDown = (controlPlane: ControlPlane): Plan => {
  const { cluster, members } = controlPlane;
  const member = machineToTake(cluster, members, eligible(controlPlane));
  if (!member) return {};
  const problems = preflight(controlPlane, { adding: false, except: member });
  if (problems.length > 0) return blocked(problems);
  return { actions: [...forwardLeadership(controlPlane, member), deletionOf(member.machine)], again: true };
};

/** Brings the number of machines to the desired one; undefined when it is. */
export const scale = (controlPlane: ControlPlane, context: Context): Plan | undefined => {
  const { members } = controlPlane;
  const desired = desiredReplicas(controlPlane);
  if (members.length === 0) return scaleUp(controlPlane, context);
  // The second machine joins what the first has initialised.
  if (!isInitialized(controlPlane)) return {};
  if (members.length < desired) return scaleUp(controlPlane, context);
  if (members.length > desired) return scaleDown(controlPlane);
  return undefined;
};
