/**
 * Why an unhealthy Machine is not remediated yet although the check's own trigger allows it: its
 * zone is at fault, or enough Machines of the cluster are under remediation. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf } from '../../common/owners.ts';
import { amountOf } from '../../common/proportion.ts';
import { hostEndOf, hostInterrupted, hostRetirementScheduled } from '../contract/host-health.ts';
import { isDeleting, isUnhealthy, machineIs, machineIsNot } from '../contract/machines.ts';
import { isMarked } from '../contract/remediation.ts';
import type { Machine } from '../machine/schema.ts';
import { nameList } from './names.ts';
import type { Judged } from './observe.ts';
import type { MachineHealthCheck } from './schema.ts';

/** How many worker Machines of the cluster may be under remediation: a count or a percentage. */
export const budgetAnnotation = 'capstan.dev/remediation-budget';
/** `Off`: Machines are replaced even if most of their zone is unhealthy. */
export const zoneFreezeAnnotation = 'capstan.dev/zone-freeze';

export interface Restraint {
  reason: 'ZoneUnhealthy' | 'BudgetExhausted';
  message: string;
}
/** By the Node's name. */
export type Zones = ReadonlyMap<string, string>;
/** By the Machine's name. */
export type Restraints = ReadonlyMap<string, Restraint>;

const defaultBudget = '20%';
/** Fewer unhealthy Machines say nothing about their zone. */
const leastOfZone = 3;

const isControlPlane = ({ metadata }: Machine): boolean => metadata.labels?.[labels.controlPlane] !== undefined;
const zoneOf = ({ spec, status }: Machine, zones: Zones): string | undefined =>
  zones.get(status?.nodeRef?.name ?? '') ?? status?.failureDomain ?? spec?.failureDomain;

const isAsked = (machine: Machine): boolean =>
  machineIsNot(machine, 'OwnerRemediated') || machineIsNot(machine, 'ExternallyRemediated');

/**
 * A deferred or refused remediation takes nothing out of service. The autoscaler removes unhealthy
 * Machines, too.
 */
const isUnderRemediation = (machine: Machine): boolean => {
  if (isDeleting(machine) && isUnhealthy(machine)) return true;
  const { reason } = conditionOf(machine.status?.conditions, 'OwnerRemediated') ?? {};
  const isOwners = reason === 'WaitingForRemediation' || reason === 'MachineDeleting';
  return (
    (machineIsNot(machine, 'OwnerRemediated') && isOwners && controllerOf(machine) !== undefined) ||
    machineIsNot(machine, 'ExternallyRemediated')
  );
};

/**
 * A host that never joined, that works until its retirement, or that its provider takes away or has
 * ended, says nothing about its zone.
 */
const isSignOfZone = (machine: Machine): boolean =>
  machine.status?.nodeRef !== undefined &&
  hostEndOf(machine) === undefined &&
  !machineIs(machine, hostInterrupted) &&
  !(machineIs(machine, hostRetirementScheduled) && machineIs(machine, 'NodeReady'));

/** Milliseconds after which the Machines of a zone are replaced at the pace of the budget. */
const longestFreeze = 3_600_000;

/** When this many Machines had become unhealthy, in milliseconds. */
const suspectedSince = (ill: readonly Machine[], now: number): number => {
  const times = ill.map(({ status }) => {
    const condition = conditionOf(status?.conditions, 'HealthCheckSucceeded');
    return condition?.status === 'False' ? Date.parse(condition.lastTransitionTime ?? '') || now : now;
  });
  return times.toSorted((a, b) => a - b)[leastOfZone - 1] ?? now;
};

/** By zone: why its Machines are kept; undefined if they are not. */
type Suspicions = ReadonlyMap<string, string | undefined>;

/** Zones of which most Machines are unhealthy. Machines that can be in one zone only say nothing about it. */
const suspectedZones = (
  judged: readonly Judged[],
  machines: readonly Machine[],
  zones: Zones,
  now: number,
): Suspicions => {
  const found = new Set(
    judged.filter(({ verdict }) => verdict.health === 'unhealthy').map(({ machine }) => machine.metadata.uid),
  );
  const isIll = (machine: Machine) => found.has(machine.metadata.uid) || isUnhealthy(machine);
  const joined = machines.filter(({ status }) => status?.nodeRef !== undefined);
  const workers = joined.filter((machine) => !isControlPlane(machine));
  const isSpread = new Set(workers.map((machine) => zoneOf(machine, zones))).size > 1;
  return new Map<string, string | undefined>(
    [...Map.groupBy(joined, (machine) => zoneOf(machine, zones))].flatMap(
      ([zone, all]): [string, string | undefined][] => {
        const isMost = (count: number) => count >= leastOfZone && count * 2 > all.length;
        const ill = all.filter(isIll);
        const signs = ill.filter(isSignOfZone);
        if (zone === undefined || !isMost(ill.length)) return [];
        const since = suspectedSince(signs, now);
        const ends = since + longestFreeze;
        if (!isSpread || !isMost(signs.length) || now >= ends) return [[zone, undefined]];
        const names = nameList(signs.map(({ metadata }) => metadata.name).sort());
        const freeze = `${signs.length} of ${all.length} Machines in zone ${zone} are unhealthy at once since ${timestamp(since)} (${names}): the zone is at fault. They are kept until ${timestamp(ends)}`;
        return [[zone, freeze]];
      },
    ),
  );
};

/**
 * Users who limit remediation by the check's own fields have no budget unless they set one, or most
 * Machines of a zone are unhealthy.
 */
const budgetOf = ({ metadata, spec }: MachineHealthCheck, workers: number, isSuspected: boolean): number => {
  const given = metadata.annotations?.[budgetAnnotation];
  if (given === undefined && spec?.remediation?.triggerIf && !isSuspected) return Number.POSITIVE_INFINITY;
  const wanted = given ?? defaultBudget;
  if (!wanted.endsWith('%')) return Number(wanted);
  return wanted === '0%' ? 0 : Math.max(1, amountOf(wanted, workers, Math.floor, workers));
};

const newestFirst = ({ machine: { metadata: a } }: Judged, { machine: { metadata: b } }: Judged): number =>
  Date.parse(b.creationTimestamp ?? '') - Date.parse(a.creationTimestamp ?? '') || (a.name < b.name ? -1 : 1);

/** `machines`: all of the cluster. A Machine that a user marked is not restrained. */
export const restraintsOf = (
  check: MachineHealthCheck,
  judged: readonly Judged[],
  machines: readonly Machine[],
  zones: Zones,
  now: number,
): Restraints => {
  const candidates = judged
    .filter(({ verdict, machine }) => verdict.health === 'unhealthy' && !isDeleting(machine))
    .filter(({ machine }) => !isAsked(machine) && !isMarked(machine))
    .sort(newestFirst);
  if (candidates.length === 0) return new Map();
  const isFreezing = check.metadata.annotations?.[zoneFreezeAnnotation] !== 'Off';
  const suspected: Suspicions = isFreezing ? suspectedZones(judged, machines, zones, now) : new Map();
  // A control plane replaces its Machines one by one, and workers may wait for it.
  const workers = machines.filter((machine) => !isControlPlane(machine));
  const budget = budgetOf(check, workers.length, suspected.size > 0);
  const underway = workers.filter(isUnderRemediation).map(({ metadata }) => metadata.name);
  let left = budget - underway.length;
  const restraints = new Map<string, Restraint>();
  for (const { machine } of candidates) {
    const freeze = suspected.get(zoneOf(machine, zones) ?? '');
    if (freeze !== undefined && hostEndOf(machine) === undefined) {
      const message = `${freeze} (annotation ${zoneFreezeAnnotation}: Off on the MachineHealthCheck replaces them at once)`;
      restraints.set(machine.metadata.name, { reason: 'ZoneUnhealthy', message });
    } else if (!isControlPlane(machine) && left-- <= 0) {
      const message = `At most ${budget} of ${workers.length} worker Machines may be under remediation at once (annotation ${budgetAnnotation} on the MachineHealthCheck changes that)`;
      restraints.set(machine.metadata.name, { reason: 'BudgetExhausted', message });
    }
  }
  return restraints;
};
