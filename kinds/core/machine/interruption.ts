/** What a provider's notice about its host means for a Machine. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import {
  type Action,
  type ConditionDraft,
  type EventDraft,
  found,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { deletionOf } from '../../common/owners.ts';
import { hostAtRisk, hostInterrupted } from '../contract/host-health.ts';
import { type Interruption, interruptionOf, isReplacedAtRisk } from '../contract/interruption.ts';
import { isDeleting, machineIs } from '../contract/machines.ts';
import { isSkipped } from '../contract/remediation.ts';
import type { Observed } from './observe.ts';

export type InterruptionFacts = Pick<Observed, 'machine' | 'machineSet' | 'machineDeployment' | 'infraMachine'>;

const noticeOf = ({ infraMachine }: Pick<Observed, 'infraMachine'>): Interruption | undefined => {
  const infra = found(infraMachine);
  return infra && interruptionOf(infra);
};

/** HostInterrupted or HostAtRisk; undefined while no notice has come. */
export const interruptionCondition = (facts: InterruptionFacts): ConditionDraft | undefined => {
  const notice = noticeOf(facts);
  if (!notice) return undefined;
  const { reason, deadline } = notice;
  const kind = facts.machine.spec?.infrastructureRef.kind ?? '';
  return deadline === undefined
    ? { type: hostAtRisk, status: 'True', reason, message: `The provider of the ${kind} is likely to end the host` }
    : {
        type: hostInterrupted,
        status: 'True',
        reason,
        message: `The provider of the ${kind} ends the host at ${timestamp(deadline)}`,
      };
};

/**
 * Only a MachineSet replaces a Machine as such. A control plane decides itself what its quorum
 * permits, and no controller replaces a Machine that a user created.
 */
const isReplaced = ({ machine, machineSet, machineDeployment }: InterruptionFacts, { deadline }: Interruption) =>
  machineSet !== undefined &&
  !isDeleting(machineSet) &&
  machine.metadata.labels?.[labels.controlPlane] === undefined &&
  !isSkipped(machine) &&
  (deadline !== undefined || isReplacedAtRisk(machineDeployment ?? machineSet));

/**
 * Deletes the Machine if its host ends at a known time. The condition is written first, in a pass of
 * its own: by it the MachineSet knows that the replacement need not wait for the drain. A Machine
 * that is only at risk works on until the MachineSet has replaced it.
 */
export const evacuation = (
  facts: InterruptionFacts,
): Pick<Plan, 'again'> & { actions: Action[]; events: EventDraft[] } => {
  const notice = noticeOf(facts);
  const condition = interruptionCondition(facts);
  if (!notice || !condition || isDeleting(facts.machine)) return { actions: [], events: [] };
  const isToReplace = isReplaced(facts, notice);
  const isUrgent = isToReplace && notice.deadline !== undefined;
  const known = conditionOf(facts.machine.status?.conditions, condition.type);
  if (machineIs(facts.machine, condition.type) && known?.reason === condition.reason)
    return { actions: isUrgent ? [{ ...deletionOf(facts.machine), group: 'evacuation' }] : [], events: [] };
  const outcome = isUrgent ? ': the Machine is replaced' : ': the Machine is drained once it is replaced';
  const message = `${condition.message}${isToReplace ? outcome : ''}`;
  return {
    actions: [],
    events: [{ type: 'Warning', reason: condition.type, message }],
    ...(isUrgent && { again: true }),
  };
};

/** Milliseconds until the host ends, not below 0; undefined while that is open. */
export const hostTimeLeft = ({ infraMachine, now }: Pick<Observed, 'infraMachine' | 'now'>): number | undefined => {
  const { deadline } = noticeOf({ infraMachine }) ?? {};
  return deadline === undefined ? undefined : Math.max(0, deadline - now);
};
