/** Which unhealthy Machines to delete so that new ones replace them. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { type Action, type EventDraft, found } from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import { ownersOf, patchAsObserved } from '../../common/owners.ts';
import { amountOf } from '../../common/proportion.ts';
import { isDeleting, isToBeRemediated } from '../contract/machines.ts';
import { objectTarget } from '../contract/object-targets.ts';
import {
  clearRemark,
  isInFlight,
  isMarked,
  type Remark,
  remark,
  replace,
  upgradeDefersRemediation,
} from '../contract/remediation.ts';
import type { Machine } from '../machine/schema.ts';
import { isToBePreserved, preservedFromAnnotation } from '../shared/preservation.ts';
import { type Backoff, backoffOf, remediationsAnnotation, remediationsNote } from './backoff.ts';
import type { Observed } from './observe.ts';
import { preflight } from './preflight.ts';
import type { MachineSet } from './schema.ts';

export interface Remediation {
  actions: Action[];
  events: EventDraft[];
  /** Seconds until a deferred remediation is due. */
  requeueAfter?: number;
  /** The new note of remediations on the set; null removes it, undefined keeps it. */
  note?: string | null;
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

/**
 * A preserved Machine leaves the set, which replaces it. Its deletion was requested before, so a
 * crash in between leaves nothing that no controller deletes.
 */
const detach = ({ machineSet }: Observed, machine: Machine): Action[] => {
  if (!isInFlight(machine) || !isToBePreserved(machine)) return [];
  const { matchLabels = {}, matchExpressions = [] } = machineSet.spec?.selector ?? {};
  const selecting = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
  const dropped = new Set([...selecting, labels.set, labels.deployment, labels.templateHash]);
  dropped.delete(labels.cluster);
  return [
    patchAsObserved(machine, {
      metadata: {
        labels: Object.fromEntries([...dropped].map((label) => [label, null])),
        annotations: { [preservedFromAnnotation]: machineSet.metadata.name },
        ownerReferences: ownersOf(machine).filter(({ uid }) => uid !== machineSet.metadata.uid),
      },
    }),
  ];
};

const minutes = (seconds: number): string => `${Math.ceil(seconds / 60)} minutes`;
const inARow = (count: number): string =>
  `${count} ${count === 1 ? 'remediation' : 'remediations in a row'} led to no Available Machine`;

/** Why none of the Machines is replaced now; undefined if they may be. */
const obstacleTo = ({
  machineSet,
  machineDeployment,
  cluster,
  templates,
  controlPlane,
}: Observed): Remark | undefined => {
  const reason = 'RemediationDeferred';
  if (machineDeployment && cluster && upgradeDefersRemediation(objectTarget(cluster, machineDeployment)))
    return { reason, message: `Waiting for the upgrade of MachineDeployment ${machineDeployment.metadata.name}` };
  const obstacles = preflight(machineSet, controlPlane, templates?.bootstrap && found(templates.bootstrap));
  return obstacles.length > 0 ? { reason, message: obstacles.join('; ') } : undefined;
};

/** The message names the whole delay, because it must not change while time passes. */
const remarkOn = (backoff: Backoff, { metadata }: MachineSet): Remark | undefined => {
  switch (backoff.state) {
    case 'Free':
      return undefined;
    case 'Waiting': {
      const message = `Waiting up to ${minutes(backoff.delay)} because ${inARow(backoff.count)}`;
      return { reason: 'RemediationDeferred', message };
    }
    case 'Held': {
      const remedy = `change the template, or remove annotation ${remediationsAnnotation} from MachineSet ${metadata.name} to try again`;
      return { reason: 'RemediationHeld', message: `${inARow(backoff.count)}: ${remedy}` };
    }
    default:
      throw new Error(`unknown backoff ${backoff satisfies never}`);
  }
};

const isHeld = ({ status }: Machine): boolean =>
  conditionOf(status?.conditions, 'OwnerRemediated')?.reason === 'RemediationHeld';

const heldEvent = (machines: readonly Machine[], { reason, message }: Remark): EventDraft[] =>
  reason === 'RemediationHeld' && !machines.some(isHeld) ? [{ type: 'Warning', reason, message }] : [];

/** `machines`: the set's own, without the surplus ones. */
export const remediate = (observed: Observed, machines: readonly Machine[], now: number): Remediation => {
  const { machineSet, machineDeployment } = observed;
  const ill = machines.filter((machine) => !isDeleting(machine) && isToBeRemediated(machine)).sort(inOrder);
  const saying = (of: readonly Machine[], what: Remark) => eachOf(of, (machine) => remark(machine, what));
  const kept = [...eachOf(machines, clearRemark), ...eachOf(machines, (machine) => detach(observed, machine))];
  const noted = (replaced: readonly Machine[]) => {
    const note = remediationsNote(machineSet, machines, replaced, now);
    return note === undefined ? {} : { note };
  };
  if (ill.length === 0) return { actions: kept, events: [], ...noted([]) };
  if (isFormer(observed)) {
    const message = "Machine won't be remediated because it is pending removal due to rollout";
    return { actions: [...kept, ...saying(ill, { reason: 'CannotBeRemediated', message })], events: [] };
  }

  const { replicas = 0, remediation: { maxInFlight } = {} } = machineDeployment?.spec ?? {};
  const most = amountOf(maxInFlight, replicas, Math.ceil, Number.POSITIVE_INFINITY);
  const free = Math.max(0, most - machines.filter(isInFlight).length);
  const [first, later] = [ill.slice(0, free), ill.slice(free)];
  const tooMany = `Waiting because there are already too many remediations in progress (spec.remediation.maxInFlight is ${maxInFlight})`;
  const deferred = [...kept, ...saying(later, { reason: 'RemediationDeferred', message: tooMany })];
  // A user who marks a Machine does not wait for the backoff.
  const unmarked = first.filter((machine) => !isMarked(machine));
  const backoff = backoffOf(machineSet, machines, unmarked, now);
  const obstacle = obstacleTo(observed);
  const why = obstacle ?? remarkOn(backoff, machineSet);
  const stopped = obstacle ? first : why ? unmarked : [];
  const replaced = first.filter((machine) => !stopped.includes(machine));
  return {
    actions: [...deferred, ...(why ? saying(stopped, why) : []), ...eachOf(replaced, replace)],
    events: [
      ...(why ? heldEvent(stopped, why) : []),
      ...replaced.map(({ metadata }) => ({
        type: 'Normal' as const,
        reason: 'SuccessfulDelete',
        message: `Deleted Machine "${metadata.name}", which is not healthy`,
      })),
    ],
    ...noted(replaced.filter((machine) => !isMarked(machine))),
    ...(backoff.state === 'Waiting' && { requeueAfter: backoff.seconds }),
  };
};
