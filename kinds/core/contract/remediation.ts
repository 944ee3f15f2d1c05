/** How the owner of a Machine reports and performs its remediation. Pure. */
import { withConditions } from '../../../machinery/api/conditions.ts';
import type { Action, ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { annotations } from '../../common/labels.ts';
import { deletionOf, patchAsObserved } from '../../common/owners.ts';
import type { Machine } from '../machine/schema.ts';
import { isDeleting, machineIs, machineIsNot } from './machines.ts';
import type { ObjectTarget } from './object-targets.ts';

const type = 'OwnerRemediated';

export interface Remark {
  /** RemediationHeld: until the template changes, or a user asks for it. */
  reason: 'RemediationDeferred' | 'CannotBeRemediated' | 'RemediationHeld' | 'MachineDeleting';
  message: string;
}
const goes: Remark = { reason: 'MachineDeleting', message: 'Machine is deleting' };

const conditionsOf = ({ status }: Machine) => status?.conditions;

const saying = (machine: Machine, conditions: ConditionDraft[] | undefined): Action =>
  patchAsObserved(machine, { status: { conditions } });

/** Sets OwnerRemediated; no action if the Machine already has this reason and message. */
export const remark = (machine: Machine, { reason, message }: Remark): Action[] => {
  const before = conditionsOf(machine);
  const current = before?.find((one) => one.type === type);
  if (current?.reason === reason && current.message === message) return [];
  return [saying(machine, withConditions(before, { type, status: 'False', reason, message }))];
};

/** Sets the condition before the deletion: a pass after a crash repeats both. */
export const replace = (machine: Machine): Action[] => [...remark(machine, goes), deletionOf(machine)];

/** Removes OwnerRemediated from a Machine that is healthy again. */
export const clearRemark = (machine: Machine): Action[] => {
  const isWell = !isDeleting(machine) && machineIs(machine, 'HealthCheckSucceeded');
  if (!isWell || !machineIsNot(machine, type)) return [];
  const others = conditionsOf(machine)?.filter((one) => one.type !== type);
  return [saying(machine, others)];
};

/** A user marked the Machine to be remediated first. */
export const isMarked = ({ metadata }: Machine): boolean =>
  metadata.annotations?.[annotations.remediateMachine] !== undefined;

const skipAnnotation = 'cluster.x-k8s.io/skip-remediation';
/** A user takes care of the Machine: no controller replaces it. */
export const isSkipped = ({ metadata }: Machine): boolean => metadata.annotations?.[skipAnnotation] !== undefined;

/** The Machine is being deleted by its remediation. */
export const isInFlight = (machine: Machine): boolean =>
  isDeleting(machine) &&
  conditionsOf(machine)?.some(
    ({ type: of, status, reason }) => of === type && status === 'False' && reason === goes.reason,
  ) === true;

/**
 * While an upgrade admits only some Machines of the new revision, it decides itself about those that
 * fail: a remediation would replace the very Machine on which it decides.
 */
export const upgradeDefersRemediation = (target: ObjectTarget | undefined): boolean =>
  target?.target === 'Build' && target.most !== undefined && !target.held;
