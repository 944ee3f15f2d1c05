/** What the owner of a Machine says of replacing it because a health check found it ill. Pure. */
import { isTrue, withConditions } from '../../machinery/api/conditions.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import type { Action, ConditionDraft } from '../../machinery/api/reconcile.ts';
import type { Machine } from '../machine/schema.ts';
import { annotations } from './labels.ts';
import { isDeleting, machineIsNot } from './machines.ts';
import { patchAsObserved } from './owners.ts';

const type = 'OwnerRemediated';

export interface Remark {
  reason: 'RemediationDeferred' | 'CannotBeRemediated' | 'MachineDeleting';
  message: string;
}
export const goes: Remark = { reason: 'MachineDeleting', message: 'Machine is deleting' };

const conditionsOf = ({ status }: Machine) => status?.conditions as ConditionDraft[] | undefined;

/** Nothing when the Machine says so already. */
export const remark = (machine: Machine, { reason, message }: Remark): Action[] => {
  const before = conditionsOf(machine);
  const current = before?.find((one) => one.type === type);
  if (current?.reason === reason && current.message === message) return [];
  const conditions = withConditions(before, { type, status: 'False', reason, message });
  return [patchAsObserved(machine, { status: { conditions: conditions as unknown as JsonValue } })];
};

/** Takes back what was asked of those that are well again. */
export const takeBack = (machines: readonly Machine[]): Action[] =>
  machines
    .filter((machine) => !isDeleting(machine))
    .filter(({ status }) => isTrue(status?.conditions, 'HealthCheckSucceeded'))
    .filter((machine) => machineIsNot(machine, type))
    .map((machine) => {
      const conditions = conditionsOf(machine)?.filter((one) => one.type !== type);
      return patchAsObserved(machine, { status: { conditions: conditions as unknown as JsonValue } });
    });

/** Somebody says that it is the worst of all. */
export const isMarked = ({ metadata }: Machine): boolean =>
  metadata.annotations?.[annotations.remediateMachine] !== undefined;

/** It goes because it was ill. */
export const isInFlight = (machine: Machine): boolean =>
  isDeleting(machine) &&
  conditionsOf(machine)?.some(
    ({ type: of, status, reason }) => of === type && status === 'False' && reason === goes.reason,
  ) === true;
