/** Computes metav1 conditions: merges, summaries, aggregates, and their messages. Pure. */
import type { Condition, LegacyCondition } from './object.ts';
import type { ConditionDraft } from './reconcile.ts';

export * from './legacy-conditions.ts';

type Status = Condition['status'];

/** False while the API refuses what the controller decided for the object itself. */
export const changeAccepted = 'ChangeAccepted';

/** False while passes of the controller throw. */
export const reconcileSucceeded = 'ReconcileSucceeded';

export const conditionOf = <C extends { type: string }>(conditions: readonly C[] | undefined, type: string) =>
  conditions?.find((c) => c.type === type);

export const statusOf = (conditions: readonly { type: string; status: Status }[] | undefined, type: string) =>
  conditionOf(conditions, type)?.status;

export const isTrue = (conditions: readonly { type: string; status: Status }[] | undefined, type: string): boolean =>
  statusOf(conditions, type) === 'True';

export const isFalse = (conditions: readonly { type: string; status: Status }[] | undefined, type: string): boolean =>
  statusOf(conditions, type) === 'False';

/** When one of them last changed, in milliseconds since the epoch; undefined without any time. */
export const lastTransitionOf = (conditions: readonly Condition[] = []): number | undefined => {
  const times = conditions.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? ''));
  return times.length > 0 ? Math.max(...times) : undefined;
};

/** Replaces the conditions whose types occur in `changes`, in the usual order. */
export const withConditions = (
  conditions: readonly ConditionDraft[] | undefined,
  ...changes: ConditionDraft[]
): ConditionDraft[] => {
  const changed = new Set(changes.map((c) => c.type));
  return sortConditions([...(conditions ?? []).filter((c) => !changed.has(c.type)), ...changes]);
};

// Readiness gates, availability gates and other types come between the aggregates and the last two.
const order = [
  'Available',
  'Ready',
  'UpToDate',
  'RemoteConnectionProbe',
  'BootstrapConfigReady',
  'InfrastructureReady',
  'ControlPlaneInitialized',
  'ControlPlaneAvailable',
  'WorkersAvailable',
  'CertificatesAvailable',
  'Initialized',
  'EtcdClusterHealthy',
  'ControlPlaneComponentsHealthy',
  'NodeHealthy',
  'NodeReady',
  'NodeKubeadmLabelsAndTaintsSet',
  'EtcdPodHealthy',
  'EtcdMemberHealthy',
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  'HealthCheckSucceeded',
  'OwnerRemediated',
  'ExternallyRemediated',
  'TopologyReconciled',
  'Updating',
  'RollingOut',
  'Remediating',
  'ScalingDown',
  'ScalingUp',
  'MachinesReady',
  'ControlPlaneMachinesReady',
  'WorkerMachinesReady',
  'MachinesUpToDate',
  'ControlPlaneMachinesUpToDate',
  'WorkerMachinesUpToDate',
  '*',
  'Paused',
  'Deleting',
];
const places = new Map(order.map((type, place) => [type, place]));
const placeOf = (type: string) => places.get(type) ?? places.get('*')!;

/** Available first, Paused and Deleting last, as the field's tools print them. */
export const sortConditions = <C extends { type: string }>(conditions: readonly C[]): C[] =>
  [...conditions].sort((a, b) => placeOf(a.type) - placeOf(b.type) || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));

export const notYetReported = (type: string, message = `Condition ${type} not yet reported`): ConditionDraft => ({
  type,
  status: 'Unknown',
  reason: 'NotYetReported',
  message,
});

/**
 * Mirrors condition `from` of another object as `to`; without that object the fallback, without the
 * condition Unknown.
 */
export const mirrorCondition = (
  conditions: readonly (Condition | LegacyCondition)[] | undefined,
  from: string,
  to: string,
  fallback?: Omit<ConditionDraft, 'type'>,
): ConditionDraft => {
  const source = conditionOf(conditions, from);
  if (source)
    return {
      type: to,
      status: source.status,
      reason: source.reason || 'NoReasonReported',
      message: source.message ?? '',
    };
  return fallback ? { type: to, ...fallback } : { ...notYetReported(from), type: to };
};

/** One input of a merge: a condition and, for aggregates, its object. */
interface Sourced {
  condition: ConditionDraft & { lastTransitionTime?: string };
  kind: string;
  name: string;
  first: boolean;
}

type Priority = 'issue' | 'unknown' | 'info';
const priorities: readonly Priority[] = ['issue', 'unknown', 'info'];
/** The priority of a condition in a merge; by default it depends on status and polarity. */
export type PriorityOf = (condition: ConditionDraft) => Priority;

export const priorityByPolarity =
  (negative: readonly string[] = []): PriorityOf =>
  ({ type, status }) => {
    if (status === 'Unknown') return 'unknown';
    return (status === 'True') === negative.includes(type) ? 'issue' : 'info';
  };

/** The reasons of the result: for inputs with issues, for only unknowns, and for no issues. */
export interface Reasons {
  issue: string;
  unknown: string;
  info: string;
}
const generic: Reasons = { issue: 'IssuesReported', unknown: 'UnknownReported', info: 'InfoReported' };

const worst = (inputs: readonly Sourced[], priorityOf: PriorityOf): Priority => {
  const present = new Set(inputs.map(({ condition }) => priorityOf(condition)));
  return priorities.find((priority) => present.has(priority)) ?? 'info';
};
const statusFor = (priority: Priority, negative: boolean): Status => {
  if (priority === 'unknown') return 'Unknown';
  return (priority === 'issue') === negative ? 'True' : 'False';
};

const isBullet = (line: string) => /\s*\*\s+/.test(line);
/**
 * A message after "* Something:": on the same line, or indented below when it has several lines or
 * bullets.
 */
const nested = (message: string): string => {
  if (!message.includes('\n') && !isBullet(message)) return ` ${message}`;
  const lines = message.split('\n');
  const bulleted = lines.every(isBullet);
  const indent = (line: string) => {
    if (bulleted) return `  ${line}`;
    return isBullet(line) ? `    ${line}` : `  * ${line}`;
  };
  return `\n${lines.map(indent).join('\n')}`;
};

export interface SummaryOptions {
  type: string;
  /** The condition types that count, the most relevant first. */
  of: readonly string[];
  negative?: readonly string[];
  /** The types in `of` that may be missing without making the result Unknown. */
  optional?: readonly string[];
  reasons?: Reasons;
  priorityOf?: PriorityOf;
  /** Rewrites the message's bullets before they are joined. */
  messages?: (bullets: string[]) => string[];
}

/** Summarizes conditions of one object as one condition of positive polarity. */
export const summarizeConditions = (
  conditions: readonly ConditionDraft[] | undefined,
  options: SummaryOptions,
): ConditionDraft => {
  const { of, negative, optional = [], reasons = generic } = options;
  const priorityOf = options.priorityOf ?? priorityByPolarity(negative);
  const inputs = of.flatMap((type): Sourced[] => {
    const condition =
      conditionOf(conditions, type) ??
      (optional.includes(type) ? undefined : notYetReported(type, 'Condition not yet reported'));
    return condition ? [{ condition, kind: '', name: '', first: false }] : [];
  });
  const result = worst(inputs, priorityOf);
  const bullets = inputs
    .filter(({ condition }) => priorityOf(condition) !== 'info' || (result === 'info' && condition.message))
    .map(({ condition }) => `* ${condition.type}:${nested(condition.message || condition.reason)}`);
  return {
    type: options.type,
    status: statusFor(result, false),
    reason: reasons[result],
    message: (options.messages?.(bullets) ?? bullets).join('\n'),
  };
};

/** An object whose conditions are aggregated. */
export interface ConditionSource {
  kind: string;
  name: string;
  conditions: readonly (ConditionDraft & { lastTransitionTime?: string })[] | undefined;
  /** Its messages come before others'. */
  controlPlaneMachine?: boolean;
}

export interface AggregateOptions {
  /** The type to read from every object. */
  of: string;
  /** The type of the result; absent = `of`. */
  type?: string;
  /** Negative polarity of the source and the result: True is bad. */
  negative?: boolean;
  reasons?: Reasons;
  priorityOf?: PriorityOf;
}

/**
 * Aggregates one condition of many objects (at least one); an object without it counts as Unknown.
 */
export const aggregateConditions = (sources: readonly ConditionSource[], options: AggregateOptions): ConditionDraft => {
  const { of, type = of, negative = false, reasons = generic } = options;
  const priorityOf = options.priorityOf ?? priorityByPolarity(negative ? [of] : []);
  const inputs = sources.map(
    ({ kind, name, conditions, controlPlaneMachine = false }): Sourced => ({
      condition: conditionOf(conditions, of) ?? notYetReported(of),
      kind,
      name,
      first: controlPlaneMachine,
    }),
  );
  const result = worst(inputs, priorityOf);
  const shown =
    result === 'info'
      ? inputs.filter(({ condition }) => condition.message)
      : inputs.filter(({ condition }) => priorityOf(condition) !== 'info');
  return {
    type,
    status: statusFor(result, negative),
    reason: reasons[result],
    message: aggregateMessages(shown, priorityOf).join('\n'),
  };
};

const tails: Record<Priority, string> = {
  issue: 'with other issues',
  unknown: 'with status unknown',
  info: 'with additional info',
};
const messagesShown = 3;
const namesShown = 3;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
/** English plural of a kind, such as MachineDeployments. */
const plural = (kind: string) =>
  /(s|x|ch)$/.test(kind) ? `${kind}es` : kind.replace(/([^aeiou])y$/, '$1ie').concat('s');

const aggregateMessages = (inputs: readonly Sourced[], priorityOf: PriorityOf): string[] => {
  const kinds = [...new Set(inputs.map(({ kind }) => kind))].sort(compare);
  const lines: string[] = [];
  let left = messagesShown;
  for (const kind of kinds) {
    const groups = groupByMessage(
      inputs.filter((input) => input.kind === kind),
      priorityOf,
    );
    lines.push(...groups.slice(0, left).map((group) => bulletOf(kind, group)));
    const hidden = groups.slice(left);
    left = Math.max(0, left - groups.length);
    for (const priority of priorities) {
      const count = hidden.filter((g) => g.priority === priority).reduce((sum, g) => sum + g.names.length, 0);
      if (count > 0) lines.push(`And ${count} ${count === 1 ? kind : plural(kind)} ${tails[priority]}`);
    }
  }
  return lines;
};

interface MessageGroup {
  message: string;
  names: string[];
  first: boolean;
  priority: Priority;
}

/**
 * Groups objects by message: control plane machines first, then the worse status, then the larger
 * group.
 */
const groupByMessage = (inputs: readonly Sourced[], priorityOf: PriorityOf): MessageGroup[] =>
  [...Map.groupBy(inputs, ({ condition }) => condition.message ?? '')]
    .map(([message, group]) => ({
      message,
      names: group
        .toSorted((a, b) => Number(b.first) - Number(a.first) || compare(a.name, b.name))
        .map(({ name }) => name),
      first: group.some(({ first }) => first),
      priority: worst(group, priorityOf),
    }))
    .sort(
      (a, b) =>
        Number(b.first) - Number(a.first) ||
        priorities.indexOf(a.priority) - priorities.indexOf(b.priority) ||
        b.names.length - a.names.length ||
        compare(a.names.join(), b.names.join()),
    );

const bulletOf = (kind: string, { names, message }: MessageGroup): string => {
  const shown = names.slice(0, namesShown).join(', ');
  const more = names.length > namesShown ? `, ... (${names.length - namesShown} more)` : '';
  return `* ${names.length === 1 ? kind : plural(kind)} ${shown}${more}:${nested(message)}`;
};
