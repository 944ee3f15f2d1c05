/** The status of a MachineSet. Pure. */
import {
  aggregateLegacy,
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withConditions,
  withLegacy,
} from '../../machinery/api/conditions.ts';
import { formatLabelSelector, labelMatcher } from '../../machinery/api/labels.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import type { ConditionDraft, Failure } from '../../machinery/api/reconcile.ts';
import {
  isDeleting,
  machineIs,
  machinesReady,
  machinesUpToDate,
  remediating,
  staleMessage,
  versionsOf,
} from '../common/machines.ts';
import { missingMessage } from '../common/references.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from './schema.ts';

export interface StatusFacts {
  machineSet: MachineSet;
  machines: Machine[];
  /** Kinds of templates that are not there. */
  missing: string[];
  /** Why no machine may be added now. */
  preflight: string[];
  lastFailure: Failure | undefined;
  now: number;
}

const desiredOf = (machineSet: MachineSet): number => (isDeleting(machineSet) ? 0 : (machineSet.spec?.replicas ?? 0));

const scalingUp = ({ machineSet, machines, missing, preflight }: StatusFacts): ConditionDraft => {
  const desired = desiredOf(machineSet);
  const absence = missingMessage(missing);
  if (machines.length >= desired) {
    const message = absence && !isDeleting(machineSet) ? `Scaling up would be blocked because ${absence}` : '';
    return { type: 'ScalingUp', status: 'False', reason: 'NotScalingUp', message };
  }
  const obstacles = [...preflight, ...(absence ? [absence] : [])].map((why) => `* ${why}`);
  const blocked = obstacles.length > 0 ? ` is blocked because:\n${obstacles.join('\n')}` : '';
  const message = `Scaling up from ${machines.length} to ${desired} replicas${blocked}`;
  return { type: 'ScalingUp', status: 'True', reason: 'ScalingUp', message };
};

export const scalingDown = (current: number, desired: number, machines: Machine[], now: number): ConditionDraft => {
  if (current <= desired) return { type: 'ScalingDown', status: 'False', reason: 'NotScalingDown', message: '' };
  const stale = staleMessage(machines, now);
  const message = `Scaling down from ${current} to ${desired} replicas${stale && `\n* ${stale}`}`;
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
  const { machineSet, machines, preflight, lastFailure } = facts;
  const before = (machineSet.status?.deprecated?.v1beta1?.conditions ?? []) as LegacyDraft[];
  const desired = desiredOf(machineSet);
  const actual = `MachineSet to ${desired} replicas (actual ${machines.length})`;
  const created = (): LegacyDraft[] => {
    if (machines.length >= desired) return [legacyTrue('MachinesCreated')];
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
    conditions: status?.deprecated?.v1beta1?.conditions as LegacyDraft[] | undefined,
  }));
  const ready = machines.length === 0 ? legacyTrue('MachinesReady') : aggregateLegacy('MachinesReady', sources);
  const own = withLegacy(before, ...created(), ...resized(), ...(ready ? [ready] : []));
  const summary = summarizeLegacy(own, { of: ['MachinesCreated', 'Resized', 'MachinesReady'] });
  return summary ? withLegacy(own, summary) : own;
};

export const statusOf = (facts: StatusFacts): JsonObject => {
  const { machineSet, machines, now } = facts;
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
      machineSet.status?.conditions as ConditionDraft[] | undefined,
      scalingUp(facts),
      scalingDown(machines.length, desiredOf(machineSet), machines, now),
      machinesReady(machines),
      machinesUpToDate(machines, now),
      remediating(machines, 'MachineSet'),
      deleting(machineSet, machines, now),
    ) as unknown as JsonObject[],
    deprecated: {
      v1beta1: {
        fullyLabeledReplicas: machines.filter(({ metadata }) => hasTemplateLabels(metadata.labels)).length,
        readyReplicas: readyNodes,
        availableReplicas: machines.filter((m) => machineIs(m, 'NodeReady') && machineIs(m, 'Available')).length,
        conditions: legacyConditions(facts, readyNodes) as unknown as JsonObject[],
      },
    },
  };
};
