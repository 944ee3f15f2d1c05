/** The conditions of a Machine that follow from its observed state. Pure; `now` in milliseconds. */

import {
  conditionOf,
  mirrorCondition,
  priorityByPolarity,
  summarizeConditions,
} from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { absenceOf, type ConditionDraft as Draft, type Read } from '../../../machinery/api/reconcile.ts';
import { rolloutTime } from '../../common/rollout-time.ts';
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { bootstrapExecSucceeded } from '../contract/infrastructure.ts';
import { conditionsOf } from '../contract/machine.ts';
import { remoteConditionsGraceMs, runsAsWanted } from '../contract/machine-conditions.ts';
import { drainDelays, isDeleting, untilStale } from '../contract/machines.ts';
import { withoutProviderId } from '../contract/provider-id.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import { templateDifferences } from '../machine-deployment/template.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { Machine } from './schema.ts';

type Verdict = Omit<Draft, 'type'>;
const yes = (reason: string, message = ''): Verdict => ({ status: 'True', reason, message });
const no = (reason: string, message = ''): Verdict => ({ status: 'False', reason, message });
const unknown = (reason: string, message = ''): Verdict => ({ status: 'Unknown', reason, message });

/** The part's own Ready condition or, without one, what the contract's fields imply. */
const mirrored = (type: string, part: KubeObject, kind: string, flag: string, done: boolean): Draft => {
  const fallback = done ? yes('Ready') : no('NotReady', `${kind} status.initialization.${flag} is false`);
  const condition = mirrorCondition(conditionsOf(part), 'Ready', type, fallback);
  return condition.status === 'True' && condition.reason === 'NoReasonReported'
    ? { ...condition, reason: 'Ready' }
    : condition;
};
const unread = unknown('InternalError', 'The object could not be read');

export const bootstrapReady = (machine: Machine, config: Read<KubeObject> | undefined, created: boolean): Draft => {
  const type = 'BootstrapConfigReady';
  const kind = machine.spec?.bootstrap.configRef?.kind ?? '';
  if (!config) return { type, ...yes('DataSecretProvided') };
  if (config.state === 'found') return mirrored(type, config.value, kind, 'dataSecretCreated', created);
  if (config.state !== 'absent') return { type, ...unread };
  return isDeleting(machine) && created && config.because === undefined
    ? { type, ...no('ObjectDeleted', `${kind} has been deleted`) }
    : { type, ...no('ObjectDoesNotExist', absenceOf(config, kind)) };
};

/** Its host never comes back. */
const exitFrom = (machine: Machine): string => {
  if (isDeleting(machine)) return '';
  const { name, namespace = '' } = machine.metadata;
  return ` while the Machine still exists; to replace it, run: kubectl delete machine ${name} -n ${namespace}`;
};

export const infrastructureReady = (machine: Machine, infra: Read<KubeObject>, provisioned: boolean): Draft => {
  const type = 'InfrastructureReady';
  const kind = machine.spec?.infrastructureRef.kind ?? '';
  if (infra.state === 'found') return mirrored(type, infra.value, kind, 'provisioned', provisioned);
  if (infra.state !== 'absent') return { type, ...unread };
  if (!provisioned) return { type, ...no('ObjectDoesNotExist', absenceOf(infra, kind)) };
  return { type, ...no('ObjectDeleted', `${kind} has been deleted${exitFrom(machine)}`) };
};

export interface NodeFacts {
  machine: Machine;
  cluster: Cluster | undefined;
  snapshot: WorkloadSnapshot | undefined;
  node: WorkloadNode | undefined;
  nodeName: string | undefined;
  providerID: string | undefined;
  infraMachine?: KubeObject | undefined;
  now: number;
}

/**
 * Milliseconds until the last known state of an unreachable cluster expires; undefined if the
 * cluster answers.
 */
export const graceLeft = (snapshot: WorkloadSnapshot | undefined, now: number): number | undefined =>
  snapshot?.unreachableSince ? Date.parse(snapshot.unreachableSince) + remoteConditionsGraceMs - now : undefined;

const nodeObstacle = ({ cluster, snapshot, now }: NodeFacts): Verdict | 'keep' | undefined => {
  const { initialization } = cluster?.status ?? {};
  if (!initialization?.infrastructureProvisioned)
    return unknown(
      'InspectionFailed',
      'Waiting for Cluster status.initialization.infrastructureProvisioned to be true',
    );
  if (!initialization.controlPlaneInitialized)
    return unknown('InspectionFailed', 'Waiting for Cluster control plane to be initialized');
  if (!snapshot?.reachableSince && !snapshot?.unreachableSince) return 'keep';
  const left = graceLeft(snapshot, now);
  return left !== undefined && left <= 0
    ? unknown('ConnectionDown', `Last successful probe before ${snapshot.unreachableSince}`)
    : undefined;
};

/** What the infrastructure knows of a host that does not join, such as kubeadm's last lines. */
const bootFailure = (infraMachine: KubeObject | undefined): string => {
  const condition = conditionOf(infraMachine && conditionsOf(infraMachine), bootstrapExecSucceeded);
  return condition?.status === 'False' && condition.message ? `: ${condition.message}` : '';
};

const withoutNode = ({ machine, nodeName, providerID, snapshot, infraMachine }: NodeFacts): Verdict => {
  if (isDeleting(machine))
    return nodeName === undefined
      ? unknown('NodeDoesNotExist', 'Node does not exist')
      : no('NodeDeleted', `Node ${nodeName} has been deleted`);
  if (nodeName !== undefined)
    return no('NodeDeleted', `Node ${nodeName} has been deleted while the Machine still exists`);
  return unknown(
    'InspectionFailed',
    providerID
      ? (withoutProviderId(snapshot, machine.status?.addresses) ??
          `Waiting for a Node with spec.providerID ${providerID} to exist${bootFailure(infraMachine)}`)
      : `Waiting for ${machine.spec?.infrastructureRef.kind} to report spec.providerID`,
  );
};

const nodeReady = ({ conditions }: WorkloadNode): Verdict => {
  const ready = conditionOf(conditions, 'Ready');
  if (!ready) return unknown('NodeReadyUnknown', '* Node.Ready: Condition not yet reported');
  if (ready.status === 'True') return yes('NodeReady');
  const message = ready.message ? `* Node.Ready: ${ready.message}` : '';
  return ready.status === 'False' ? no('NodeNotReady', message) : unknown('NodeReadyUnknown', message);
};

const healthTypes = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
const nodeHealthy = ({ conditions }: WorkloadNode): Verdict => {
  const troubles = healthTypes.flatMap((type) => {
    const condition = conditionOf(conditions, type);
    if (!condition) return [{ type, bad: false, message: 'Condition not yet reported', reported: false }];
    if (condition.status === (type === 'Ready' ? 'True' : 'False')) return [];
    const message = condition.message || `Condition is ${condition.status}`;
    return [{ type, bad: condition.status !== 'Unknown', message, reported: true }];
  });
  if (troubles.length === 0) return yes('NodeHealthy');
  const messages = new Set(troubles.map(({ message }) => message));
  const isOneCause = messages.size === 1 && troubles.length > 1 && troubles.every(({ reported }) => reported);
  const text = isOneCause
    ? `* Node.AllConditions: ${[...messages][0]}`
    : troubles.map(({ type, message }) => `* Node.${type}: ${message}`).join('\n');
  return troubles.some(({ bad }) => bad) ? no('NodeNotHealthy', text) : unknown('NodeHealthUnknown', text);
};

/** NodeReady and NodeHealthy. */
export const nodeConditions = (facts: NodeFacts): Draft[] => {
  const both = (verdict: Verdict): Draft[] => ['NodeReady', 'NodeHealthy'].map((type) => ({ type, ...verdict }));
  const obstacle = nodeObstacle(facts);
  if (obstacle === 'keep') {
    const before = ['NodeReady', 'NodeHealthy'].map((type) => conditionOf(facts.machine.status?.conditions, type));
    const [ready, healthy] = before as (Condition | undefined)[];
    return ready && healthy
      ? [ready, healthy]
      : both(unknown('ConnectionDown', 'Remote connection not established yet'));
  }
  if (obstacle) return both(obstacle);
  const { node } = facts;
  if (!node) return both(withoutNode(facts));
  return [
    { type: 'NodeReady', ...nodeReady(node) },
    { type: 'NodeHealthy', ...nodeHealthy(node) },
  ];
};

/** UpToDate of a worker of a MachineDeployment; undefined for any other Machine. */
export const upToDate = (
  machine: Machine,
  set: MachineSet | undefined,
  deployment: MachineDeployment | undefined,
  kubeletVersion: string | undefined,
  now: number,
): Draft | undefined => {
  if (!set?.spec || !deployment?.spec) return undefined;
  const after = rolloutTime(deployment.spec.rollout?.after ?? '');
  const isExpired = after <= now && Date.parse(set.metadata.creationTimestamp ?? '') < after;
  const reasons = [
    ...templateDifferences(set.spec.template, deployment.spec.template),
    ...(isExpired ? ['MachineDeployment spec.rolloutAfter expired'] : []),
  ];
  const type = 'UpToDate';
  if (reasons.length > 0) return { type, ...no('NotUpToDate', reasons.map((reason) => `* ${reason}`).join('\n')) };
  return { type, ...runsAsWanted(machine, kubeletVersion) };
};

/** Ready shows a deletion as one line: its stage, and why it takes long. */
const deletionSummary = (machine: Machine, deleting: Draft, now: number): Draft => {
  const isStale = untilStale(machine, now) === 0;
  const causes = isStale ? drainDelays(machine, now) : [];
  const duration = isStale ? ' since more than 15m' : '';
  const why = causes.length > 0 ? `, delay likely due to ${causes.join(', ')}` : '';
  const message = `Machine deletion in progress${duration}, stage: ${deleting.reason}${why}`;
  return { type: 'Deleting', ...yes('Deleting', message) };
};

/** Parts that the deletion has removed are not issues. */
const goneReasons: Record<string, string[]> = {
  BootstrapConfigReady: ['ObjectDeleted', 'ObjectDoesNotExist'],
  InfrastructureReady: ['ObjectDeleted', 'ObjectDoesNotExist'],
  NodeHealthy: ['NodeDeleted', 'NodeDoesNotExist'],
};

const componentConditions = /^\* (APIServer|ControllerManager|Scheduler|EtcdPodHealthy:)/;
/** Merges control plane components with the same message into one line. */
const mergeComponents = (bullets: string[]): string[] => {
  const mine = bullets.filter((bullet) => componentConditions.test(bullet));
  const messages = new Set(mine.map((bullet) => bullet.slice(bullet.indexOf(':') + 1)));
  if (mine.length < 2 || messages.size > 1) return bullets;
  const merged = `* Control plane components:${[...messages][0]}`;
  return bullets.flatMap((bullet) => (bullet === mine[0] ? [merged] : mine.includes(bullet) ? [] : [bullet]));
};

/** Ready, summarized from all other conditions. */
export const ready = (machine: Machine, conditions: Draft[], now: number): Draft => {
  const gates = machine.spec?.readinessGates ?? [];
  const negative = [
    'Deleting',
    'Updating',
    ...gates.filter(({ polarity }) => polarity === 'Negative').map(({ conditionType }) => conditionType),
  ];
  const byPolarity = priorityByPolarity(negative);
  const gone = isDeleting(machine);
  const inputs = conditions.map((condition) =>
    gone && condition.type === 'Deleting' ? deletionSummary(machine, condition, now) : condition,
  );
  return summarizeConditions(inputs, {
    type: 'Ready',
    of: [
      'Deleting',
      'Updating',
      'BootstrapConfigReady',
      'InfrastructureReady',
      'NodeHealthy',
      'HealthCheckSucceeded',
      ...gates.map(({ conditionType }) => conditionType),
    ],
    optional: ['HealthCheckSucceeded'],
    reasons: { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' },
    priorityOf: (condition) =>
      gone && goneReasons[condition.type]?.includes(condition.reason) ? 'info' : byPolarity(condition),
    messages: mergeComponents,
  });
};

/** Available, and the seconds until it may become True. */
export const available = (machine: Machine, isReady: Draft, now: number): { condition: Draft; wait?: number } => {
  const type = 'Available';
  if (isReady.status !== 'True') return { condition: { type, ...no('NotReady') } };
  const before = conditionOf(machine.status?.conditions, 'Ready');
  const since = before?.status === 'True' && before.lastTransitionTime ? Date.parse(before.lastTransitionTime) : now;
  // The clock of the process that set Ready may be ahead of this one.
  const left = (machine.spec?.minReadySeconds ?? 0) * 1000 - Math.max(0, now - since);
  if (left <= 0) return { condition: { type, ...yes('Available') } };
  return { condition: { type, ...no('WaitingForMinReadySeconds') }, wait: Math.ceil(left / 1000) };
};
