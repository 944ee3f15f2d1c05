/** Judges the health of one Machine. Pure; `now` in milliseconds. */
import { conditionOf, isTrue } from '../../../machinery/api/conditions.ts';
import { formatDuration } from '../../../machinery/api/durations.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import type { WorkloadNode } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { pausedAnnotation } from '../contract/hold.ts';
import { hostEndOf, hostHealthy, hostInterrupted, hostRetirementScheduled } from '../contract/host-health.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineHealthCheck } from './schema.ts';
import { defaultStartupTimeout } from './validate.ts';

export const isPaused = ({ metadata }: KubeObject): boolean => metadata.annotations?.[pausedAnnotation] !== undefined;

export interface Target {
  machine: Machine;
  /** The Node that the Machine names, as last seen in the cluster. */
  node?: WorkloadNode;
}

export type Verdict =
  | { health: 'healthy' }
  | { health: 'unhealthy'; condition: ConditionDraft }
  /** Neither: it may be judged unhealthy in so many seconds, or once something changes. */
  | { health: 'pending'; nextCheck?: number };

interface Finding {
  reason: string;
  messages: string[];
  /** Seconds until the next check can have another result. */
  nextChecks: number[];
}
const nothing: Finding = { reason: '', messages: [], nextChecks: [] };

type Checks = NonNullable<NonNullable<MachineHealthCheck['spec']>['checks']>;
type Watched = { type: string; status: string; timeoutSeconds: number };
type Reported = { type: string; status: string; reason?: string; lastTransitionTime?: string };

const conditionFindings = (
  watched: readonly Watched[],
  conditions: readonly Reported[] | undefined,
  on: 'Machine' | 'Node',
  now: number,
): Finding => {
  const found = watched.flatMap(({ type, status, timeoutSeconds }) => {
    const condition = conditionOf(conditions, type);
    if (condition?.status !== status) return [];
    const left = (Date.parse(condition.lastTransitionTime ?? '') - now) / 1000 + timeoutSeconds;
    const text = `Condition ${type} on ${on} is reporting status ${status} with reason ${condition.reason ?? ''} for more than ${formatDuration(timeoutSeconds)}`;
    return [{ left, text }];
  });
  return {
    reason: `Unhealthy${on}`,
    messages: found.filter(({ left }) => left < 0).map(({ text }) => text),
    nextChecks: found.filter(({ left }) => left >= 0).map(({ left }) => left + 1),
  };
};

/**
 * What every check counts unless it lists the condition's type itself. A provider recovers many
 * failed hosts within minutes.
 */
const checkedByDefault: readonly Watched[] = [
  { type: hostHealthy, status: 'False', timeoutSeconds: 600 },
  { type: hostRetirementScheduled, status: 'True', timeoutSeconds: 0 },
  { type: hostInterrupted, status: 'True', timeoutSeconds: 0 },
];

const machineConditionsOf = ({ unhealthyMachineConditions: listed = [] }: Checks): readonly Watched[] => [
  ...listed,
  ...checkedByDefault.filter(({ type }) => !listed.some((one) => one.type === type)),
];

/** A host that has ended never comes back. */
const withEnd = (machine: Machine, found: Finding): Finding => {
  const end = hostEndOf(machine);
  return end === undefined ? found : { ...found, messages: [...found.messages, `The host is gone: ${end}`] };
};

/** Milliseconds: from when on the Machine can be expected to get a Node. */
const startedAt = (machine: Machine, cluster: Cluster): number => {
  const since = (conditions: Cluster['status'], type: string) => {
    const condition = conditionOf(conditions?.conditions, type);
    return condition?.status === 'True' ? condition.lastTransitionTime : undefined;
  };
  const times = [
    machine.metadata.creationTimestamp,
    since(cluster.status, 'ControlPlaneInitialized'),
    since(cluster.status, 'InfrastructureReady'),
    since(machine.status as Cluster['status'], 'InfrastructureReady'),
  ];
  return Math.max(...times.map((time) => Date.parse(time ?? '') || 0));
};

const startupFindings = (machine: Machine, cluster: Cluster, checks: Checks, now: number): Finding => {
  const { nodeStartupTimeoutSeconds: timeout = defaultStartupTimeout } = checks;
  if (timeout === 0) return nothing;
  const left = (startedAt(machine, cluster) - now) / 1000 + timeout;
  return left < 0
    ? {
        reason: 'NodeStartupTimeout',
        messages: [`Node failed to report startup in ${formatDuration(timeout)}`],
        nextChecks: [],
      }
    : { ...nothing, nextChecks: [left + 1] };
};

const nodeFindings = ({ machine, node }: Target, cluster: Cluster, checks: Checks, now: number): Finding => {
  const name = machine.status?.nodeRef?.name;
  if (node) return conditionFindings(checks.unhealthyNodeConditions ?? [], node.conditions, 'Node', now);
  if (name === undefined) return startupFindings(machine, cluster, checks, now);
  // The Machine controller looks for the Node itself; an older view of the cluster proves nothing.
  const isGone = conditionOf(machine.status?.conditions, 'NodeReady')?.reason === 'NodeDeleted';
  return isGone ? { reason: 'NodeDeleted', messages: [`Node ${name} has been deleted`], nextChecks: [] } : nothing;
};

const failed = (reason: string, message: string): Verdict => ({
  health: 'unhealthy',
  condition: { type: 'HealthCheckSucceeded', status: 'False', reason, message: `Health check failed:${message}` },
});

const isControlPlane = ({ metadata }: Machine): boolean => metadata.labels?.[labels.controlPlane] !== undefined;

/** Whether the cluster is far enough for its Machines to be judged. */
const isJudged = (machine: Machine, { status }: Cluster): boolean =>
  isTrue(status?.conditions, 'InfrastructureReady') &&
  (isControlPlane(machine) || isTrue(status?.conditions, 'ControlPlaneInitialized'));

export const verdictOf = (target: Target, check: MachineHealthCheck, cluster: Cluster, now: number): Verdict => {
  const { machine, node } = target;
  if (machine.metadata.annotations?.[annotations.remediateMachine] !== undefined)
    return failed('HasRemediateAnnotation', ` marked for remediation via ${annotations.remediateMachine} annotation`);
  if (!isJudged(machine, cluster)) return { health: 'pending' };
  const checks = check.spec?.checks ?? {};
  const ofMachine = withEnd(
    machine,
    conditionFindings(machineConditionsOf(checks), machine.status?.conditions, 'Machine', now),
  );
  const ofNode = nodeFindings(target, cluster, checks, now);
  const messages = [...ofMachine.messages, ...ofNode.messages];
  if (messages.length > 0)
    return failed(
      ofMachine.messages.length > 0 ? ofMachine.reason : ofNode.reason,
      messages.map((message) => `\n  * ${message}`).join(''),
    );
  const nextChecks = [...ofMachine.nextChecks, ...ofNode.nextChecks];
  if (nextChecks.length > 0) return { health: 'pending', nextCheck: Math.min(...nextChecks) };
  return node && !isDeleting(machine) ? { health: 'healthy' } : { health: 'pending' };
};
