/** The status of a MachineSet. Pure. */
import {
  aggregateLegacy,
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withConditions,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import { formatLabelSelector, labelMatcher } from '../../../machinery/api/labels.ts';
import type { ConditionDraft, Failure, Withheld } from '../../../machinery/api/reconcile.ts';
import { blocked } from '../contract/blocked.ts';
import { canCreateMachines } from '../contract/creatable.ts';
import { isReplacedBeside } from '../contract/draining.ts';
import {
  isDeleting,
  machineIs,
  machinesReady,
  machinesUpToDate,
  remediating,
  staleMessage,
  versionsOf,
} from '../contract/machines.ts';
import { type MissingTemplate, missingMessage } from '../contract/references.ts';
import type { Machine } from '../machine/schema.ts';
import { unselectedCondition } from '../shared/selectable.ts';
import { flowOf } from './creation.ts';
import type { MachineSet, MachineSetStatus } from './schema.ts';

export interface StatusFacts {
  machineSet: MachineSet;
  machines: Machine[];
  missing: MissingTemplate[];
  /** Why no Machine may be added now. */
  preflight: string[];
  /** Why it cannot create Machines until a user acts. */
  stuck?: ConditionDraft[];
  lastFailure: Failure | undefined;
  now: number;
  withheld: Withheld | undefined;
}

const desiredOf = ({ machineSet, withheld }: Pick<StatusFacts, 'machineSet' | 'withheld'>): number =>
  isDeleting(machineSet) || withheld?.releases ? 0 : (machineSet.spec?.replicas ?? 0);

const failureText = ({ operation, message }: Failure): string => `${operation}: ${message}`;

const scalingUp = (facts: StatusFacts): ConditionDraft => {
  const { machineSet, machines, missing, preflight, withheld, lastFailure } = facts;
  const desired = desiredOf(facts);
  const absence = missingMessage(missing);
  if (machines.length >= desired) {
    const why = withheld?.message || absence;
    const message = why && !isDeleting(machineSet) ? `Scaling up would be blocked because ${why}` : '';
    return { type: 'ScalingUp', status: 'False', reason: 'NotScalingUp', message };
  }
  const refused = lastFailure?.operation.startsWith('create ') ? [failureText(lastFailure)] : [];
  const reasons = [...(withheld ? [withheld.message] : [...preflight, ...refused]), ...(absence ? [absence] : [])];
  const message = blocked(`Scaling up from ${machines.length} to ${desired} replicas`, reasons);
  return { type: 'ScalingUp', status: 'True', reason: 'ScalingUp', message };
};

export const scalingDown = (
  current: number,
  desired: number,
  machines: Machine[],
  now: number,
  withheld: Withheld | undefined,
): ConditionDraft => {
  if (current <= desired) return { type: 'ScalingDown', status: 'False', reason: 'NotScalingDown', message: '' };
  const stale = staleMessage(machines, now);
  const held = withheld && !withheld.releases ? [withheld.message] : [];
  const message = `${blocked(`Scaling down from ${current} to ${desired} replicas`, held)}${stale && `\n* ${stale}`}`;
  return { type: 'ScalingDown', status: 'True', reason: 'ScalingDown', message };
};

export const deleting = (
  object: MachineSet | { metadata: MachineSet['metadata'] },
  machines: Machine[],
  now: number,
) => {
  const draft = (status: 'True' | 'False', reason: string, message: string): ConditionDraft => ({
    type: 'Deleting',
    status,
    reason,
    message,
  });
  if (!isDeleting(object)) return draft('False', 'NotDeleting', '');
  if (machines.length === 0) return draft('True', 'Deleting', 'Deletion completed');
  const stale = staleMessage(machines, now);
  const what = machines.length === 1 ? 'Machine' : 'Machines';
  return draft('True', 'Deleting', `Deleting ${machines.length} ${what}${stale && `\n* ${stale}`}`);
};

const legacyConditions = (facts: StatusFacts, readyReplicas: number): LegacyDraft[] => {
  const { machineSet, machines, preflight, lastFailure, withheld } = facts;
  const before = machineSet.status?.deprecated?.v1beta1?.conditions ?? [];
  const desired = desiredOf(facts);
  const actual = `MachineSet to ${desired} replicas (actual ${machines.length})`;
  const created = (): LegacyDraft[] => {
    if (machines.length >= desired) return [legacyTrue('MachinesCreated')];
    if (withheld) return [legacyFalse('MachinesCreated', 'WaitingForOperation', 'Info', withheld.message)];
    if (preflight.length > 0)
      return [legacyFalse('MachinesCreated', 'PreflightCheckFailed', 'Error', preflight.join('; '))];
    return lastFailure ? [legacyFalse('MachinesCreated', 'MachineCreationFailed', 'Error', lastFailure.message)] : [];
  };
  const resized = (): LegacyDraft[] => {
    if (machines.length < desired) return [legacyFalse('Resized', 'ScalingUp', 'Warning', `Scaling up ${actual}`)];
    if (machines.length > desired) return [legacyFalse('Resized', 'ScalingDown', 'Warning', `Scaling down ${actual}`)];
    return readyReplicas === machines.length ? [legacyTrue('Resized')] : [];
  };
  const sources = machines.map(({ metadata, status }) => ({
    kind: 'Machine',
    name: metadata.name,
    conditions: status?.deprecated?.v1beta1?.conditions,
  }));
  const ready = machines.length === 0 ? legacyTrue('MachinesReady') : aggregateLegacy('MachinesReady', sources);
  const own = withLegacy(before, ...created(), ...resized(), ...(ready ? [ready] : []));
  const summary = summarizeLegacy(own, { of: ['MachinesCreated', 'Resized', 'MachinesReady'] });
  return summary ? withLegacy(own, summary) : own;
};

const selected = 'MachinesSelected';

export const statusOf = (all: StatusFacts): MachineSetStatus => {
  // Machines that others replace already take no place of a rollout.
  const facts = { ...all, machines: all.machines.filter((machine) => !isReplacedBeside(machine)) };
  const { machineSet, machines, now, withheld } = facts;
  const count = (type: string) => machines.filter((machine) => machineIs(machine, type)).length;
  const hasTemplateLabels = labelMatcher({ matchLabels: machineSet.spec?.template.metadata?.labels ?? {} });
  const readyNodes = count('NodeReady');
  const versions = versionsOf(machines);
  return {
    selector: formatLabelSelector(machineSet.spec?.selector ?? {}),
    replicas: machines.length,
    readyReplicas: count('Ready'),
    availableReplicas: count('Available'),
    upToDateReplicas: count('UpToDate'),
    ...(versions.length > 0 && { versions }),
    conditions: withConditions(
      machineSet.status?.conditions?.filter(({ type }) => type !== selected && type !== canCreateMachines),
      scalingUp(facts),
      scalingDown(machines.length, desiredOf(facts), machines, now, withheld),
      machinesReady(machines),
      machinesUpToDate(machines, now),
      remediating(machines, 'MachineSet'),
      deleting(machineSet, machines, now),
      ...(facts.stuck ?? []),
      ...unselectedCondition(selected, machineSet.spec?.selector ?? {}, machines, () => flowOf(machineSet).labels),
    ),
    deprecated: {
      v1beta1: {
        fullyLabeledReplicas: machines.filter(({ metadata }) => hasTemplateLabels(metadata.labels)).length,
        readyReplicas: readyNodes,
        availableReplicas: machines.filter((m) => machineIs(m, 'NodeReady') && machineIs(m, 'Available')).length,
        conditions: legacyConditions(facts, readyNodes),
      },
    },
  };
};
