/** Aggregates the conditions of a set of Machines. Pure; `now` in milliseconds. */
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
import { holdAmong } from './hold.ts';

export const isDeleting = (object: { metadata: { deletionTimestamp?: string } }): boolean =>
  object.metadata.deletionTimestamp !== undefined;
export const machineIs = (machine: Machine, type: string): boolean => isTrue(machine.status?.conditions, type);
export const machineIsNot = (machine: Machine, type: string): boolean => isFalse(machine.status?.conditions, type);
/** A health check failed. */
export const isUnhealthy = (machine: Machine): boolean => machineIsNot(machine, 'HealthCheckSucceeded');
export const isToBeRemediated = (machine: Machine): boolean =>
  isUnhealthy(machine) && machineIsNot(machine, 'OwnerRemediated');

const sourceOf = (machine: Machine): ConditionSource => ({
  kind: 'Machine',
  name: machine.metadata.name,
  conditions: machine.status?.conditions,
  controlPlaneMachine: machine.metadata.labels?.[labels.controlPlane] !== undefined,
});

const many = 20;
export const areMany = (machines: number): boolean => machines >= many;
const longestDebounce = 60;
/**
 * The debounce, in seconds, of a status that counts this many Machines. Each count reads all of
 * them, so larger sets count less often. Changes that another controller acts on, such as a Machine
 * becoming Available or going away, are not debounced.
 */
export const debounceFor = (machines: number): { debounce?: number } =>
  !areMany(machines) ? {} : { debounce: Math.min(longestDebounce, Math.ceil(machines / 3)) };

const noReplicas = (type: string): ConditionDraft => ({ type, status: 'True', reason: 'NoReplicas', message: '' });
export const machinesReady = (machines: readonly Machine[]): ConditionDraft =>
  machines.length === 0
    ? noReplicas('MachinesReady')
    : aggregateConditions(machines.map(sourceOf), {
        of: 'Ready',
        type: 'MachinesReady',
        reasons: { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' },
      });

/** Ignores a new Machine until the Machine controller has had the time to set UpToDate. */
const settlingTime = 10_000;
const saysUpToDate = ({ status }: KubeObject): boolean =>
  conditionOf((status as { conditions?: ConditionDraft[] } | undefined)?.conditions, 'UpToDate') !== undefined;
/** A MachinePool compares the Nodes of its hosts itself, and sets no UpToDate on their Machines. */
const isCountedByPool = ({ metadata }: KubeObject): boolean => metadata.labels?.[labels.pool] !== undefined;
export const settledOf = <M extends KubeObject>(machines: readonly M[], now: number): M[] =>
  machines.filter(
    (machine) =>
      saysUpToDate(machine) ||
      (!isCountedByPool(machine) && now - Date.parse(machine.metadata.creationTimestamp ?? '') > settlingTime),
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

/**
 * Seconds until the next ignored Machine counts, even without an UpToDate condition; undefined if
 * none is ignored.
 */
export const untilCounted = (machines: readonly KubeObject[], now: number): number | undefined => {
  const left = machines
    .filter((machine) => !saysUpToDate(machine) && !isCountedByPool(machine))
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
/** What delays a drain that has lasted for more than five minutes. */
export const drainDelays = ({ status }: Machine, now: number): string[] => {
  const deleting = conditionOf(status?.conditions, 'Deleting');
  const started = status?.deletion?.nodeDrainStartTime;
  if (deleting?.status !== 'True' || deleting.reason !== 'DrainingNode' || !started) return [];
  if (now - Date.parse(started) <= 5 * minute) return [];
  return delays.filter(({ sign }) => deleting.message?.includes(sign)).map(({ cause }) => cause);
};
/**
 * Seconds until the deletion counts as stale, 0 if it already does; undefined if the Machine is not
 * being deleted.
 */
export const untilStale = ({ metadata: { deletionTimestamp } }: Machine, now: number): number | undefined =>
  deletionTimestamp === undefined
    ? undefined
    : Math.max(0, Math.ceil((Date.parse(deletionTimestamp) + 15 * minute + 1 - now) / 1000));
/** Names the Machines whose deletion is stale, and why; empty if there are none. */
export const staleMessage = (machines: readonly Machine[], now: number): string => {
  const stale = machines.filter((machine) => untilStale(machine, now) === 0);
  if (stale.length === 0) return '';
  const found = new Set(stale.flatMap((machine) => drainDelays(machine, now)));
  const causes = delays.map(({ cause }) => cause).filter((cause) => found.has(cause));
  const held = holdAmong(stale);
  const why = causes.length > 0 ? `, delay likely due to ${causes.join(', ')}` : '';
  return `${subject(stale.map(({ metadata }) => metadata.name))} in deletion since more than 15m${why}${held ? `; ${held}` : ''}`;
};

/** How many Machines run which version, the oldest Machine's version first. */
export const versionsOf = (machines: readonly Machine[]): { version: string; replicas: number }[] => {
  const age = ({ metadata }: Machine) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  const versions = machines
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1))
    .map(({ spec, status }) => status?.nodeInfo?.kubeletVersion || spec?.version)
    .filter((version) => version !== undefined);
  return [...Map.groupBy(versions, (version) => version)].map(([version, all]) => ({ version, replicas: all.length }));
};
