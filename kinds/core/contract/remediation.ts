/** What the owner of a Machine says of replacing it because a health check found it ill. Pure. */
import { withConditions } from '../../../machinery/api/conditions.ts';
import type { JsonValue } from '../../../machinery/api/object.ts';
import type { Action, ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { annotations } from '../../common/labels.ts';
import { deletionOf, patchAsObserved } from '../../common/owners.ts';
import type { Machine } from '../machine/schema.ts';
import { isDeleting, machineIs, machineIsNot } from './machines.ts';

const type = 'OwnerRemediated';

export interface Remark {
  reason: 'RemediationDeferred' | 'CannotBeRemediated' | 'MachineDeleting';
  message: string;
}
const goes: Remark = { reason: 'MachineDeleting', message: 'Machine is deleting' };

const conditionsOf = ({ status }: Machine) => status?.conditions as ConditionDraft[] | undefined;

const saying = (machine: Machine, conditions: ConditionDraft[] | undefined): Action =>
  patchAsObserved(machine, { status: { conditions: conditions as unknown as JsonValue } });

/** Nothing when the Machine says so already. */
export const remark = (machine: Machine, { reason, message }: Remark): Action[] => {
  const before = conditionsOf(machine);
  const current = before?.find((one) => one.type === type);
  if (current?.reason === reason && current.message === message) return [];
  return [saying(machine, withConditions(before, { type, status: 'False', reason, message }))];
};

/** It says that it goes, and then goes: who goes on here after a crash does the same again. */
export const replace = (machine: Machine): Action[] => [...remark(machine, goes), deletionOf(machine)];

/** Takes back what was asked of one that is well again. */
export const takeBack = (machine: Machine): Action[] => {
  const isWell = !isDeleting(machine) && machineIs(machine, 'HealthCheckSucceeded');
  if (!isWell || !machineIsNot(machine, type)) return [];
  const others = conditionsOf(machine)?.filter((one) => one.type !== type);
  return [saying(machine, others)];
};

/** Somebody says that it is the worst of all. */
export const isMarked = ({ metadata }: Machine): boolean =>
  metadata.annotations?.[annotations.remediateMachine] !== undefined;

/** It goes because it was ill. */
export const isInFlight = (machine: Machine): boolean =>
  isDeleting(machine) &&
  conditionsOf(machine)?.some(
    ({ type: of, status, reason }) => of === type && status === 'False' && reason === goes.reason,
  ) === true;
