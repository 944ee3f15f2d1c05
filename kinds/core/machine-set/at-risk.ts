/**
 * Machines whose hosts their provider is likely to end. A set that opted in creates a replacement of
 * each first, and deletes the Machine when a Node has taken its place. Pure; `now` in milliseconds.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { settingsOf } from '../../common/autoscale/annotations.ts';
import { isReplacedBeside } from '../contract/draining.ts';
import { hostAtRisk } from '../contract/host-health.ts';
import { isEvacuated, isReplacedAtRisk } from '../contract/interruption.ts';
import { isDeleting, machineIs } from '../contract/machines.ts';
import { isSkipped } from '../contract/remediation.ts';
import type { Machine } from '../machine/schema.ts';
import type { Observed } from './observe.ts';

type Owners = Pick<Observed, 'machineSet' | 'machineDeployment'>;
const deciding = ({ machineSet, machineDeployment }: Owners) => machineDeployment ?? machineSet;

const isAtRisk = (machine: Machine): boolean =>
  machineIs(machine, hostAtRisk) && !isDeleting(machine) && !isSkipped(machine);

/**
 * The Machines that count as replicas. A Machine in deletion counts until it is gone, except one
 * whose host its provider takes away, or which is replaced while it drains. One at risk that is to
 * be replaced does not count, either.
 */
export const countedOf = (owners: Owners, machines: readonly Machine[]): Machine[] => {
  const isReplaced = isReplacedAtRisk(deciding(owners));
  return machines.filter(
    (machine) => !isEvacuated(machine) && !isReplacedBeside(machine) && !(isReplaced && isAtRisk(machine)),
  );
};

/** How long a replacement may take, as for any Machine of a pool. */
const defaultWait = 15 * 60_000;

const sinceOf = ({ status }: Machine): number =>
  Date.parse(conditionOf(status?.conditions, hostAtRisk)?.lastTransitionTime ?? '') || 0;

export interface AtRisk {
  /** Machines to delete: replacements are ready, or did not come in time. */
  due: Machine[];
  /** Seconds until a Machine is deleted without a replacement. */
  wait?: number;
}

export const atRiskOf = (owners: Owners, machines: readonly Machine[], now: number): AtRisk => {
  const decider = deciding(owners);
  if (!isReplacedAtRisk(decider)) return { due: [] };
  const { provisionTime = defaultWait } = settingsOf(decider);
  const { replicas = 0 } = owners.machineSet.spec ?? {};
  const atRisk = machines
    .filter(isAtRisk)
    .sort((a, b) => sinceOf(a) - sinceOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  const ready = countedOf(owners, machines).filter(
    (machine) => machineIs(machine, 'NodeReady') && !isDeleting(machine),
  );
  const surplus = ready.length + atRisk.length - replicas;
  const deadlineOf = (machine: Machine) => sinceOf(machine) + provisionTime;
  const isDue = (machine: Machine, at: number) => at < surplus || deadlineOf(machine) <= now;
  const waits = atRisk.filter((machine, at) => !isDue(machine, at)).map(deadlineOf);
  return {
    due: atRisk.filter(isDue),
    ...(waits.length > 0 && { wait: Math.ceil((Math.min(...waits) - now) / 1000) }),
  };
};
