/** The status of a MachineDeployment. Pure. */
import {
  conditionOf,
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  mirrorLegacy,
  summarizeLegacy,
  withConditions,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import { formatLabelSelector } from '../../../machinery/api/labels.ts';
import type { ConditionDraft, Withheld } from '../../../machinery/api/reconcile.ts';
import { obstaclesIn } from '../contract/blocked.ts';
import { canCreateMachines } from '../contract/creatable.ts';
import { isDeleting, machinesReady, machinesUpToDate, remediating } from '../contract/machines.ts';
import { type MissingTemplate, missingMessage } from '../contract/references.ts';
import { awaitsOperation } from '../contract/scope.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { deleting, scalingDown } from '../machine-set/status.ts';
import { unselectedCondition } from '../shared/selectable.ts';
import { ownLabels } from './desired-set.ts';
import { limitsOf } from './rollout.ts';
import type { MachineDeployment, MachineDeploymentStatus } from './schema.ts';

export interface StatusFacts {
  machineDeployment: MachineDeployment;
  current: MachineSet | undefined;
  machineSets: MachineSet[];
  /** Undefined if the debounce skipped the count: the conditions then keep their last values. */
  machines: Machine[] | undefined;
  missing: MissingTemplate[];
  /** Why no set of it can create Machines until a user acts. */
  stuck?: ConditionDraft[];
  /** Why the rollout does not proceed; undefined if it does. */
  held: string | undefined;
  now: number;
  withheld: Withheld | undefined;
}

const desiredOf = ({ machineDeployment, withheld }: Pick<StatusFacts, 'machineDeployment' | 'withheld'>): number =>
  isDeleting(machineDeployment) || withheld?.releases ? 0 : (machineDeployment.spec?.replicas ?? 0);

export interface Counts {
  replicas: number;
  readyReplicas: number;
  availableReplicas: number;
  upToDateReplicas: number;
}
export const countsOf = (machineSets: readonly MachineSet[]): Counts => {
  const sum = (field: keyof Counts) => machineSets.reduce((total, { status }) => total + (status?.[field] ?? 0), 0);
  return {
    replicas: sum('replicas'),
    readyReplicas: sum('readyReplicas'),
    availableReplicas: sum('availableReplicas'),
    upToDateReplicas: sum('upToDateReplicas'),
  };
};

const phaseOf = ({ machineDeployment, withheld }: StatusFacts, current: number): MachineDeploymentStatus['phase'] => {
  const desired = machineDeployment.spec?.replicas;
  if (desired === undefined) return 'Unknown';
  if (isDeleting(machineDeployment) || withheld?.releases || desired < current) return 'ScalingDown';
  return desired === current ? 'Running' : 'ScalingUp';
};

const available = (
  { machineDeployment, missing, withheld, stuck = [] }: StatusFacts,
  count: number,
): ConditionDraft => {
  if (withheld?.releases)
    return { type: 'Available', status: 'False', reason: 'NotAvailable', message: withheld.message };
  const { replicas, maxUnavailable } = limitsOf(machineDeployment);
  const needed = replicas - maxUnavailable;
  // A Cluster repeats it.
  const lasting = stuck.map((condition) => condition.message).join('');
  if (count >= needed) return { type: 'Available', status: 'True', reason: 'Available', message: lasting };
  const { type, rollingUpdate } = machineDeployment.spec?.rollout?.strategy ?? {};
  const why =
    type === 'RollingUpdate'
      ? ` (spec.strategy.rollout.maxUnavailable is ${rollingUpdate?.maxUnavailable}, spec.replicas is ${replicas})`
      : '';
  // No operation begins before all templates exist.
  const obstacle = (awaitsOperation(withheld) && missingMessage(missing)) || withheld?.message || lasting;
  const message = isDeleting(machineDeployment)
    ? 'Deletion in progress'
    : `${count} available replicas, at least ${needed} required${why}${obstacle && `\n* ${obstacle}`}`;
  return { type: 'Available', status: 'False', reason: 'NotAvailable', message };
};

/** What keeps the current set from scaling up, such as a control plane of another version. */
const obstacleOf = (current: MachineSet | undefined): string[] =>
  obstaclesIn(conditionOf(current?.status?.conditions, 'ScalingUp')?.message);

const obstaclesOf = (current: MachineSet | undefined, stuck: readonly ConditionDraft[]): string[] =>
  stuck.length > 0 ? stuck.map(({ message }) => `* ${message}`) : obstacleOf(current);

const versionsFirst = (a: string, b: string): number =>
  Number(b.startsWith('* Version')) - Number(a.startsWith('* Version')) || (a < b ? -1 : a > b ? 1 : 0);

const rollingOut = ({ current, withheld, held }: StatusFacts, machines: Machine[]): ConditionDraft => {
  const outdated = machines
    .map(({ status }) => conditionOf(status?.conditions, 'UpToDate'))
    .filter((condition) => condition?.status === 'False');
  if (outdated.length === 0 || withheld) {
    const message = withheld && outdated.length > 0 ? `Rolling out would be blocked because ${withheld.message}` : '';
    return { type: 'RollingOut', status: 'False', reason: 'NotRollingOut', message };
  }
  const reasons = new Set(outdated.flatMap((condition) => (condition?.message ? condition.message.split('\n') : [])));
  const lines = [
    `Rolling out ${outdated.length} not up-to-date replicas`,
    ...(held ? [`* ${held}`] : []),
    ...[...reasons].sort(versionsFirst),
    ...obstacleOf(current),
  ];
  return { type: 'RollingOut', status: 'True', reason: 'RollingOut', message: lines.join('\n') };
};

const scalingUp = (facts: StatusFacts, count: number): ConditionDraft => {
  const { machineDeployment, missing, current, withheld, stuck = [] } = facts;
  const desired = desiredOf(facts);
  const absence = missingMessage(missing);
  if (count >= desired) {
    const why = withheld?.message || absence;
    const message = why && !isDeleting(machineDeployment) ? `Scaling up would be blocked because ${why}` : '';
    return { type: 'ScalingUp', status: 'False', reason: 'NotScalingUp', message };
  }
  // The current set reports the same reason itself.
  const obstacles = withheld ? [`* ${withheld.message}`] : obstaclesOf(current, stuck);
  const blocked = absence
    ? ` is blocked because ${absence}`
    : obstacles.length > 0
      ? ` is blocked because:\n${obstacles.join('\n')}`
      : '';
  const message = `Scaling up from ${count} to ${desired} replicas${blocked}`;
  return { type: 'ScalingUp', status: 'True', reason: 'ScalingUp', message };
};

const deletion = ({ machineDeployment, machines = [], machineSets, now }: StatusFacts): ConditionDraft => {
  const draft = deleting(machineDeployment, machines, now);
  return isDeleting(machineDeployment) && machines.length === 0 && machineSets.length > 0
    ? { ...draft, message: `Deleting ${machineSets.length} MachineSets` }
    : draft;
};

const versionsOf = (machineSets: readonly MachineSet[]) => {
  const total = new Map<string, number>();
  for (const { version, replicas } of machineSets.flatMap(({ status }) => status?.versions ?? []))
    total.set(version, (total.get(version) ?? 0) + (replicas ?? 0));
  return [...total].map(([version, replicas]) => ({ version, replicas }));
};

const legacyAvailable = (facts: StatusFacts, counts: Counts, availableReplicas: number): LegacyDraft => {
  const no = (why: string) => legacyFalse('Available', 'WaitingForAvailableMachines', 'Warning', why);
  if (facts.withheld?.releases) return no(facts.withheld.message);
  const { replicas, maxUnavailable } = limitsOf(facts.machineDeployment);
  const needed = replicas - maxUnavailable;
  if (availableReplicas >= needed) return legacyTrue('Available');
  return no(`Minimum availability requires ${needed} replicas, current ${counts.availableReplicas} available`);
};

const legacy = (facts: StatusFacts, counts: Counts): NonNullable<MachineDeploymentStatus['deprecated']>['v1beta1'] => {
  const { machineSets, current } = facts;
  const old = (set: MachineSet) => set.status?.deprecated?.v1beta1;
  const sum = (field: 'readyReplicas' | 'availableReplicas') =>
    machineSets.reduce((total, set) => total + (old(set)?.[field] ?? 0), 0);
  const availableReplicas = sum('availableReplicas');
  const ready = (set: MachineSet | undefined): LegacyDraft =>
    set
      ? mirrorLegacy(
          old(set)?.conditions,
          'MachineSetReady',
          legacyFalse('MachineSetReady', 'WaitingForMachineSet', 'Info'),
        )
      : legacyFalse('MachineSetReady', 'WaitingForMachineSet', 'Info', 'MachineSet not found');
  const own = [legacyAvailable(facts, counts, availableReplicas), ready(current)];
  const summary = summarizeLegacy(own, { of: ['Available'] });
  const wanted = machineSets.reduce((total, { spec }) => total + (spec?.replicas ?? 0), 0);
  return {
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas,
    unavailableReplicas: Math.max(0, wanted - availableReplicas),
    conditions: withLegacy(own, ...(summary ? [summary] : [])),
  };
};

const countedOf = (facts: StatusFacts, replicas: number): ConditionDraft[] => {
  const { machines, now, withheld } = facts;
  if (!machines) return [];
  return [
    rollingOut(facts, machines),
    scalingDown(replicas, desiredOf(facts), machines, now, withheld),
    machinesReady(machines),
    machinesUpToDate(machines, now),
    remediating(machines, 'MachineDeployment/MachineSet'),
  ];
};

const selected = 'MachineSetsSelected';

/** Machines of other sets are outdated, also before their conditions say so. */
const upToDateIn = (facts: StatusFacts, all: Counts): number =>
  desiredOf(facts) === 0 ? all.upToDateReplicas : (facts.current?.status?.upToDateReplicas ?? 0);

export const statusOf = (facts: StatusFacts): MachineDeploymentStatus => {
  const { machineDeployment, machineSets } = facts;
  const all = countsOf(machineSets);
  const counts = { ...all, upToDateReplicas: upToDateIn(facts, all) };
  const versions = versionsOf(machineSets);
  return {
    selector: formatLabelSelector(machineDeployment.spec?.selector ?? {}),
    ...counts,
    ...(versions.length > 0 && { versions }),
    phase: phaseOf(facts, counts.replicas),
    conditions: withConditions(
      machineDeployment.status?.conditions?.filter(({ type }) => type !== selected && type !== canCreateMachines),
      available(facts, counts.availableReplicas),
      scalingUp(facts, counts.replicas),
      ...countedOf(facts, counts.replicas),
      deletion(facts),
      ...(facts.stuck ?? []),
      ...unselectedCondition(selected, machineDeployment.spec?.selector ?? {}, machineSets, (set) =>
        ownLabels(machineDeployment, set),
      ),
    ),
    deprecated: { v1beta1: legacy(facts, counts) },
  };
};
