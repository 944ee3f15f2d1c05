/** What sets of Machines say of them. Pure; `now` in milliseconds. */
import {
  aggregateConditions,
  type ConditionSource,
  conditionOf,
  isFalse,
  isTrue,
} from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import type { Machine } from '../machine/schema.ts';

export const isDeleting = (object: { metadata: { deletionTimestamp?: string } }): boolean =>
  object.metadata.deletionTimestamp !== undefined;
export const machineIs = (machine: Machine, type: string): boolean => isTrue(machine.status?.conditions, type);
export const machineIsNot = (machine: Machine, type: string): boolean => isFalse(machine.status?.conditions, type);
/** Found unhealthy by a health check. */
export const isUnhealthy = (machine: Machine): boolean => machineIsNot(machine, 'HealthCheckSucceeded');
export const isToBeRemediated = (machine: Machine): boolean =>
  isUnhealthy(machine) && machineIsNot(machine, 'OwnerRemediated');

const sourceOf = (machine: Machine): ConditionSource => ({
  kind: 'Machine',
  name: machine.metadata.name,
  conditions: machine.status?.conditions as ConditionSource['conditions'],
  controlPlaneMachine: machine.metadata.labels?.[labels.controlPlane] !== undefined,
});

const many = 20;
export const areMany = (machines: number): boolean => machines >= many;
const longestPatience = 60;
/**
 * Seconds that what is counted of so many Machines may wait: each count reads all of them, so it is made the more seldom the
 * more they are. What somebody acts on, such as that one is Available or gone, is no count and does not wait.
 */
export const patienceFor = (machines: number): { patience?: number } =>
  !areMany(machines) ? {} : { patience: Math.min(longestPatience, Math.ceil(machines / 3)) };

const noReplicas = (type: string): ConditionDraft => ({ type, status: 'True', reason: 'NoReplicas', message: '' });
export const machinesReady = (machines: readonly Machine[]): ConditionDraft =>
  machines.length === 0
    ? noReplicas('MachinesReady')
    : aggregateConditions(machines.map(sourceOf), {
        of: 'Ready',
        type: 'MachinesReady',
        reasons: { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' },
      });

/** A new Machine is left out until its controller had the time to say whether it is up to date. */
const settlingTime = 10_000;
const saysUpToDate = ({ status }: KubeObject): boolean =>
  conditionOf((status as { conditions?: ConditionDraft[] } | undefined)?.conditions, 'UpToDate') !== undefined;
export const settledOf = <M extends KubeObject>(machines: readonly M[], now: number): M[] =>
  machines.filter(
    (machine) => saysUpToDate(machine) || now - Date.parse(machine.metadata.creationTimestamp ?? '') > settlingTime,
  );

export const machinesUpToDate = (machines: readonly Machine[], now: number): ConditionDraft => {
  const counted = settledOf(machines, now);
  return counted.length === 0
    ? noReplicas('MachinesUpToDate')
    : aggregateConditions(counted.map(sourceOf), {
        of: 'UpToDate',
        type: 'MachinesUpToDate',
        reasons: { issue: 'NotUpToDate', unknown: 'UpToDateUnknown', info: 'UpToDate' },
      });
};

/** Seconds until the next of those that are left out counts, whatever is said of it until then; undefined when there is none. */
export const untilCounted = (machines: readonly KubeObject[], now: number): number | undefined => {
  const left = machines
    .filter((machine) => !saysUpToDate(machine))
    .map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') + settlingTime - now)
    .filter((ms) => ms >= 0);
  return left.length > 0 ? Math.ceil((Math.min(...left) + 1) / 1000) : undefined;
};

export const remediating = (machines: readonly Machine[], notBy: string): ConditionDraft => {
  const targets = machines.filter(isToBeRemediated);
  if (targets.length === 0)
    return {
      type: 'Remediating',
      status: 'False',
      reason: 'NotRemediating',
      message: unhealthyMessage(machines.filter(isUnhealthy), notBy),
    };
  const { message } = aggregateConditions(targets.map(sourceOf), { of: 'OwnerRemediated' });
  return { type: 'Remediating', status: 'True', reason: 'Remediating', ...(message && { message }) };
};

const listed = 3;
const nameList = (names: string[]): string => {
  const shown = names.toSorted().slice(0, listed).join(', ');
  return names.length > listed ? `${shown}, ... (${names.length - listed} more)` : shown;
};
const subject = (names: string[]): string =>
  names.length === 1 ? `Machine ${nameList(names)} is` : `Machines ${nameList(names)} are`;

const unhealthyMessage = (machines: readonly Machine[], notBy: string): string =>
  machines.length === 0
    ? ''
    : `${subject(machines.map(({ metadata }) => metadata.name))} not healthy (not to be remediated by ${notBy})`;

const minute = 60_000;
const delays = [
  { sign: "cannot evict pod as it would violate the pod's disruption budget.", cause: 'PodDisruptionBudgets' },
  { sign: 'deletionTimestamp set, but still not removed from the Node', cause: 'Pods not terminating' },
  { sign: 'failed to evict Pod', cause: 'Pod eviction errors' },
  { sign: 'waiting for completion', cause: 'Pods not completed yet' },
];
/** What holds up a drain that has lasted for more than five minutes. */
export const drainDelays = ({ status }: Machine, now: number): string[] => {
  const deleting = conditionOf(status?.conditions, 'Deleting');
  const started = status?.deletion?.nodeDrainStartTime;
  if (deleting?.status !== 'True' || deleting.reason !== 'DrainingNode' || !started) return [];
  if (now - Date.parse(started) <= 5 * minute) return [];
  return delays.filter(({ sign }) => deleting.message.includes(sign)).map(({ cause }) => cause);
};
/** Seconds until its deletion takes unusually long, none of them left when it does; undefined while nobody deletes it. */
export const untilStale = ({ metadata: { deletionTimestamp } }: Machine, now: number): number | undefined =>
  deletionTimestamp === undefined
    ? undefined
    : Math.max(0, Math.ceil((Date.parse(deletionTimestamp) + 15 * minute + 1 - now) / 1000));
/** Machines whose deletion takes unusually long, and why; empty when there are none. */
export const staleMessage = (machines: readonly Machine[], now: number): string => {
  const stale = machines.filter((machine) => untilStale(machine, now) === 0);
  if (stale.length === 0) return '';
  const found = new Set(stale.flatMap((machine) => drainDelays(machine, now)));
  const causes = delays.map(({ cause }) => cause).filter((cause) => found.has(cause));
  const why = causes.length > 0 ? `, delay likely due to ${causes.join(', ')}` : '';
  return `${subject(stale.map(({ metadata }) => metadata.name))} in deletion since more than 15m${why}`;
};

/** How many machines run which version, the oldest machine's version first. */
export const versionsOf = (machines: readonly Machine[]): { version: string; replicas: number }[] => {
  const age = ({ metadata }: Machine) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  const versions = machines
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1))
    .map(({ spec, status }) => status?.nodeInfo?.kubeletVersion || spec?.version)
    .filter((version) => version !== undefined);
  return [...Map.groupBy(versions, (version) => version)].map(([version, all]) => ({ version, replicas: all.length }));
};
