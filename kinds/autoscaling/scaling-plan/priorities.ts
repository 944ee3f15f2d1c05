/**
 * The priorities of pools, which cluster-autoscaler's expander `priority` reads from a ConfigMap of
 * the cluster: YAML with a list of regular expressions of pool ids for each priority. Pure.
 */
import { parse } from 'yaml';
import { conditionOf, withConditions } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type EventDraft, found, type Read } from '../../../machinery/api/reconcile.ts';
import type { ScalingPlan, ScalingPlanStatus } from './schema.ts';

export const priorityConfigMap = { namespace: 'kube-system', name: 'cluster-autoscaler-priority-expander' };
const key = 'priorities';

export type PriorityFault = { reason: string; message: string };
export type Priorities = { priorities: Record<string, string[]> } | PriorityFault;

const longestPattern = 200;
const mostPatterns = 100;
const mostRepetitions = 3;

/**
 * cluster-autoscaler matches in linear time. An expression that could take longer here is refused,
 * because users of a cluster must not hold up the others.
 */
const faultOf = (pattern: string): string | undefined => {
  const plain = pattern.replace(/\\[^\d]/g, '_').replace(/\[[^\]]*\]/g, '_');
  if (pattern.length > longestPattern) return `is longer than ${longestPattern} characters`;
  if (/\\\d|\(\?(?!:)/.test(plain)) return 'has a group or a reference that is not supported';
  if (/\)[*+{]/.test(plain)) return 'repeats a group';
  if ((plain.match(/[*+{]/g) ?? []).length > mostRepetitions) return `has more than ${mostRepetitions} repetitions`;
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const invalid = (why: string): PriorityFault => ({
  reason: 'PriorityConfigMapInvalid',
  message: `Wrong configuration for the expander priority, which is skipped: ${why}`,
});

const priority = /^-?\d+$/;

/** What the ConfigMap says, or why the expander is skipped. */
export const prioritiesOf = (read: Read<KubeObject>): Priorities => {
  const { namespace, name } = priorityConfigMap;
  const text = (found(read)?.data as Record<string, string> | undefined)?.[key];
  if (read.state !== 'found')
    return {
      reason: 'PriorityConfigMapNotFound',
      message: `There is no ConfigMap ${namespace}/${name}: the expander priority is skipped`,
    };
  if (!text?.trim()) return invalid(`ConfigMap ${namespace}/${name} has no ${key}`);
  let given: unknown;
  try {
    given = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    return invalid((error as Error).message.split('\n')[0]!);
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return invalid('it is no map of priorities');
  const entries = Object.entries(given as Record<string, unknown>);
  if (entries.flatMap(([, patterns]) => patterns).length > mostPatterns)
    return invalid(`it has more than ${mostPatterns} expressions`);
  for (const [level, patterns] of entries) {
    if (!priority.test(level)) return invalid(`${JSON.stringify(level)} is no integer`);
    if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
      return invalid(`priority ${level} has no list of regular expressions`);
    for (const pattern of patterns as string[]) {
      const fault = faultOf(pattern);
      if (fault) return invalid(`the expression ${JSON.stringify(pattern)} of priority ${level} ${fault}`);
    }
  }
  return { priorities: Object.fromEntries(entries) as Record<string, string[]> };
};

const type = 'PrioritiesRead';

/** The status with the condition about the priorities; without it while no expander needs them. */
export const withPriorities = (status: ScalingPlanStatus, priorities: Priorities | undefined): ScalingPlanStatus => {
  const conditions = (status.conditions ?? []) as Condition[];
  if (!priorities) return { ...status, conditions: conditions.filter((one) => one.type !== type) };
  const draft =
    'priorities' in priorities
      ? { type, status: 'True' as const, reason: 'PrioritiesRead', message: '' }
      : { type, status: 'False' as const, ...priorities };
  return { ...status, conditions: withConditions(conditions, draft as Condition) };
};

/** The expander begins to be skipped, or is skipped for another reason. */
export const priorityEvents = ({ status }: ScalingPlan, priorities: Priorities | undefined): EventDraft[] => {
  if (!priorities || 'priorities' in priorities) return [];
  const known = conditionOf(status?.conditions, type);
  return known?.status === 'False' && known.message === priorities.message ? [] : [{ type: 'Warning', ...priorities }];
};
