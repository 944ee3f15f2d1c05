/**
 * Which pods must leave a Node before it is deleted, and how far the drain has come. Pure; `now` in
 * milliseconds.
 */

import type { Labels } from '../../../machinery/api/labels.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';
import { ruleFor } from '../machine-drain-rule/applies.ts';
import type { MachineDrainRule } from '../machine-drain-rule/schema.ts';

interface PodSpec {
  volumes?: { persistentVolumeClaim?: { claimName: string } }[];
}
const drainLabel = 'cluster.x-k8s.io/drain';
const mirror = 'kubernetes.io/config.mirror';

interface Behavior {
  /** Completed pods are neither evicted nor waited for. */
  does: 'drain' | 'skip' | 'wait-completed' | 'completed';
  /** Pods of a higher order wait until those of lower orders are gone. */
  order: number;
}
const skip: Behavior = { does: 'skip', order: 0 };
const drain = (order = 0): Behavior => ({ does: 'drain', order });

const isFinished = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((pod.status as { phase?: string } | undefined)?.phase ?? '');

export interface DrainFacts {
  pods: KubeObject[];
  /** `namespace/name` of every DaemonSet. */
  daemonSets: Set<string>;
  /** The rules for the Machine, in order. */
  rules: readonly MachineDrainRule[];
  /** Labels by namespace; only needed by rules that select namespaces. */
  namespaces: ReadonlyMap<string, Labels>;
  /** The kubelet does not answer: pods in deletion may never be reported gone. */
  unreachable: boolean;
  now: number;
}

export const daemonSetKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
const isOfDaemonSet = (pod: KubeObject, daemonSets: Set<string>): boolean => {
  const controller = controllerOf(pod);
  return controller?.kind === 'DaemonSet' && daemonSets.has(`${pod.metadata.namespace}/${controller.name}`);
};

const waitCompleted = (pod: KubeObject): Behavior => ({
  does: isFinished(pod) ? 'completed' : 'wait-completed',
  order: 0,
});

/** A pod's own label counts more than a rule. */
const wantedOf = (pod: KubeObject, { rules, namespaces }: DrainFacts): Behavior => {
  const label = (pod.metadata.labels?.[drainLabel] ?? '').toLowerCase().replace('-', '');
  if (label === 'skip') return skip;
  if (label === 'waitcompleted') return waitCompleted(pod);
  const { behavior, order } = ruleFor(pod, rules, namespaces)?.spec?.drain ?? {};
  switch (behavior) {
    case 'Skip':
      return skip;
    case 'WaitCompleted':
      return waitCompleted(pod);
    default:
      return drain(order);
  }
};

const behaviorOf = (pod: KubeObject, facts: DrainFacts): Behavior => {
  const { daemonSets, unreachable, now } = facts;
  const { deletionTimestamp, annotations } = pod.metadata;
  if (unreachable && deletionTimestamp && now - Date.parse(deletionTimestamp) > 1000) return skip;
  if (isOfDaemonSet(pod, daemonSets) && !isFinished(pod)) return skip;
  if (annotations?.[mirror] !== undefined) return skip;
  return wantedOf(pod, facts);
};

export interface Drain {
  toEvict: KubeObject[];
  deleting: KubeObject[];
  toComplete: KubeObject[];
  /** Of a higher order than others that are still there. */
  toEvictLater: KubeObject[];
  toCompleteLater: KubeObject[];
  skipped: KubeObject[];
}

export const drainOf = (facts: DrainFacts): Drain => {
  const key = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
  const pods = facts.pods.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const behaviors = pods.map((pod) => ({ pod, ...behaviorOf(pod, facts) }));
  const staying = behaviors.filter(({ does }) => does === 'drain' || does === 'wait-completed');
  const first = Math.min(...staying.map(({ order }) => order));
  const by = (does: Behavior['does'], isNow: boolean) =>
    behaviors.filter((one) => one.does === does && (one.order === first) === isNow).map(({ pod }) => pod);
  const isGoing = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined;
  const [now, later] = [by('drain', true), by('drain', false)];
  return {
    toEvict: now.filter((pod) => !isGoing(pod)),
    deleting: [...now, ...later].filter(isGoing),
    toComplete: by('wait-completed', true),
    toEvictLater: later.filter((pod) => !isGoing(pod)),
    toCompleteLater: by('wait-completed', false),
    skipped: behaviors.filter(({ does }) => does === 'skip').map(({ pod }) => pod),
  };
};
export const isDrained = ({ skipped: _, ...remaining }: Drain): boolean =>
  Object.values(remaining).every((pods) => pods.length === 0);

const budget = "cannot evict pod as it would violate the pod's disruption budget.";
const listed = 3;
/** `a/b, c/d, e/f, ... (2 more)`. */
const namesText = (pods: KubeObject[]): string => {
  const names = pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const more = names.length > listed ? `, ... (${names.length - listed} more)` : '';
  return `${names.slice(0, listed).join(', ')}${more}`;
};
const podsText = (pods: KubeObject[]): string => `${pods.length === 1 ? 'Pod' : 'Pods'} ${namesText(pods)}`;
const afterwards = 'After above Pods have been removed from the Node,';
const failureText = (message: string): string => {
  const text = message.replace(/cannot evict pod as it would violate the pod's disruption budget\./i, budget);
  return text.startsWith(budget) ? text : `failed to evict Pod, ${text}`;
};

/** `started` is an RFC 3339 time. */
export const drainMessage = (drain: Drain, started: string, lastFailure: Failure | undefined): string => {
  const refused =
    lastFailure?.port === 'workload' && lastFailure.operation === 'evict' ? lastFailure.message : undefined;
  const { toEvict, deleting, toComplete, toEvictLater, toCompleteLater } = drain;
  // Pods just asked to go are already leaving; after a refusal they are the pods that were refused.
  const leaving = refused === undefined ? [...deleting, ...toEvict] : deleting;
  return [
    `Drain not completed yet (started at ${started}):`,
    ...(leaving.length > 0
      ? [`* ${podsText(leaving)}: deletionTimestamp set, but still not removed from the Node`]
      : []),
    ...(refused !== undefined && toEvict.length > 0 ? [`* ${podsText(toEvict)}: ${failureText(refused)}`] : []),
    ...(toComplete.length > 0 ? [`* ${podsText(toComplete)}: waiting for completion`] : []),
    ...(toEvictLater.length > 0
      ? [`${afterwards} the following Pods will be evicted: ${namesText(toEvictLater)}`]
      : []),
    ...(toCompleteLater.length > 0
      ? [`${afterwards} waiting for the following Pods to complete without eviction: ${namesText(toCompleteLater)}`]
      : []),
  ].join('\n');
};

/**
 * `namespace/name` of the claims of pods that stay: the volume step does not wait for their
 * volumes.
 */
export const claimsOf = (pods: KubeObject[]): Set<string> =>
  new Set(
    pods.flatMap(({ metadata, spec }) =>
      ((spec as PodSpec | undefined)?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
        persistentVolumeClaim ? [`${metadata.namespace}/${persistentVolumeClaim.claimName}`] : [],
      ),
    ),
  );
