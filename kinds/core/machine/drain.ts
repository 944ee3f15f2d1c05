/**
 * Which pods must leave a Node before it is deleted, and how far the drain has come. Pure; `now` in
 * milliseconds.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';

interface PodSpec {
  volumes?: { persistentVolumeClaim?: { claimName: string } }[];
}
const drainLabel = 'cluster.x-k8s.io/drain';
const mirror = 'kubernetes.io/config.mirror';

/** Completed pods are neither evicted nor waited for. */
type Behavior = 'drain' | 'skip' | 'wait-completed' | 'completed';

const isFinished = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((pod.status as { phase?: string } | undefined)?.phase ?? '');

export interface DrainFacts {
  pods: KubeObject[];
  /** `namespace/name` of every DaemonSet. */
  daemonSets: Set<string>;
  /** The kubelet does not answer: pods in deletion may never be reported gone. */
  unreachable: boolean;
  now: number;
}

export const daemonSetKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
const isOfDaemonSet = (pod: KubeObject, daemonSets: Set<string>): boolean => {
  const controller = controllerOf(pod);
  return controller?.kind === 'DaemonSet' && daemonSets.has(`${pod.metadata.namespace}/${controller.name}`);
};

const behaviorOf = (pod: KubeObject, { daemonSets, unreachable, now }: DrainFacts): Behavior => {
  const { deletionTimestamp, annotations, labels } = pod.metadata;
  if (unreachable && deletionTimestamp && now - Date.parse(deletionTimestamp) > 1000) return 'skip';
  if (isOfDaemonSet(pod, daemonSets) && !isFinished(pod)) return 'skip';
  if (annotations?.[mirror] !== undefined) return 'skip';
  const wanted = (labels?.[drainLabel] ?? '').toLowerCase();
  if (wanted === 'skip') return 'skip';
  if (wanted !== 'wait-completed' && wanted !== 'waitcompleted') return 'drain';
  return isFinished(pod) ? 'completed' : 'wait-completed';
};

export interface Drain {
  toEvict: KubeObject[];
  deleting: KubeObject[];
  toComplete: KubeObject[];
  skipped: KubeObject[];
}

export const drainOf = (facts: DrainFacts): Drain => {
  const key = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
  const pods = facts.pods.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const by = (behavior: Behavior) => pods.filter((pod) => behaviorOf(pod, facts) === behavior);
  const draining = by('drain');
  return {
    toEvict: draining.filter(({ metadata }) => !metadata.deletionTimestamp),
    deleting: draining.filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
    toComplete: by('wait-completed'),
    skipped: by('skip'),
  };
};
export const isDrained = ({ toEvict, deleting, toComplete }: Drain): boolean =>
  toEvict.length + deleting.length + toComplete.length === 0;

const budget = "cannot evict pod as it would violate the pod's disruption budget.";
const listed = 3;
/** `Pod a/b` or `Pods a/b, c/d, e/f, ... (2 more)`. */
const podsText = (pods: KubeObject[]): string => {
  const names = pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const more = names.length > listed ? `, ... (${names.length - listed} more)` : '';
  return `${names.length === 1 ? 'Pod' : 'Pods'} ${names.slice(0, listed).join(', ')}${more}`;
};
const failureText = (message: string): string => {
  const said = message.replace(/cannot evict pod as it would violate the pod's disruption budget\./i, budget);
  return said.startsWith(budget) ? said : `failed to evict Pod, ${said}`;
};

/** `started` is an RFC 3339 time. */
export const drainMessage = (drain: Drain, started: string, lastFailure: Failure | undefined): string => {
  const refused =
    lastFailure?.port === 'workload' && lastFailure.operation === 'evict' ? lastFailure.message : undefined;
  const { toEvict, deleting, toComplete } = drain;
  // Pods just asked to go are already leaving; after a refusal they are the pods that were refused.
  const leaving = refused === undefined ? [...deleting, ...toEvict] : deleting;
  return [
    `Drain not completed yet (started at ${started}):`,
    ...(leaving.length > 0
      ? [`* ${podsText(leaving)}: deletionTimestamp set, but still not removed from the Node`]
      : []),
    ...(refused !== undefined && toEvict.length > 0 ? [`* ${podsText(toEvict)}: ${failureText(refused)}`] : []),
    ...(toComplete.length > 0 ? [`* ${podsText(toComplete)}: waiting for completion`] : []),
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
