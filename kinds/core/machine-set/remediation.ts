/** Which unhealthy Machines to delete so that new ones replace them. Pure. */
import { type Action, type EventDraft, found } from '../../../machinery/api/reconcile.ts';
import { annotations } from '../../common/labels.ts';
import { amountOf } from '../../common/proportion.ts';
import { isDeleting, isToBeRemediated } from '../contract/machines.ts';
import { clearRemark, isInFlight, isMarked, type Remark, remark, replace } from '../contract/remediation.ts';
import type { Machine } from '../machine/schema.ts';
import type { Observed } from './observe.ts';
import { preflight } from './preflight.ts';

export interface Remediation {
  actions: Action[];
  events: EventDraft[];
}

/** A rollout replaces the Machines of an old set, so the old set does not remediate them. */
const isFormer = ({ machineSet, machineDeployment }: Observed): boolean =>
  machineDeployment !== undefined &&
  machineDeployment.metadata.annotations?.[annotations.revision] !==
    machineSet.metadata.annotations?.[annotations.revision];

/**
 * Machines that a user marked come first, then the newest: they are the least likely to run
 * workloads.
 */
const inOrder = (a: Machine, b: Machine): number =>
  Number(isMarked(b)) - Number(isMarked(a)) ||
  Date.parse(b.metadata.creationTimestamp ?? '') - Date.parse(a.metadata.creationTimestamp ?? '') ||
  (a.metadata.name < b.metadata.name ? -1 : 1);

/** One group per Machine: a failure of one does not stop the others. */
const eachOf = (machines: readonly Machine[], what: (machine: Machine) => Action[]): Action[] =>
  machines.flatMap((machine) => what(machine).map((action) => ({ ...action, group: machine.metadata.name })));

/** `machines`: the set's own, without the surplus ones. */
export const remediate = (observed: Observed, machines: readonly Machine[]): Remediation => {
  const { machineSet, machineDeployment, controlPlane, templates } = observed;
  const ill = machines.filter((machine) => !isDeleting(machine) && isToBeRemediated(machine)).sort(inOrder);
  const saying = (of: readonly Machine[], what: Remark) => eachOf(of, (machine) => remark(machine, what));
  const well = eachOf(machines, clearRemark);
  if (ill.length === 0) return { actions: well, events: [] };
  if (isFormer(observed)) {
    const message = "Machine won't be remediated because it is pending removal due to rollout";
    return { actions: [...well, ...saying(ill, { reason: 'CannotBeRemediated', message })], events: [] };
  }

  const { replicas = 0, remediation: { maxInFlight } = {} } = machineDeployment?.spec ?? {};
  const most = amountOf(maxInFlight, replicas, Math.ceil, Number.POSITIVE_INFINITY);
  const free = Math.max(0, most - machines.filter(isInFlight).length);
  const [now, later] = [ill.slice(0, free), ill.slice(free)];
  const tooMany = `Waiting because there are already too many remediations in progress (spec.remediation.maxInFlight is ${maxInFlight})`;
  const deferred = [...well, ...saying(later, { reason: 'RemediationDeferred', message: tooMany })];
  const obstacles = preflight(machineSet, controlPlane, templates?.bootstrap && found(templates.bootstrap));
  if (obstacles.length > 0) {
    const message = obstacles.join('; ');
    return { actions: [...deferred, ...saying(now, { reason: 'RemediationDeferred', message })], events: [] };
  }
  return {
    actions: [...deferred, ...eachOf(now, replace)],
    events: now.map(({ metadata }) => ({
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted Machine "${metadata.name}", which is not healthy`,
    })),
  };
};
