/** Which pods of a Node have to go before it may, and how far that is. Pure; `now` in milliseconds. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';

interface PodSpec {
  volumes?: { persistentVolumeClaim?: { claimName: string } }[];
}
const drainLabel = 'cluster.x-k8s.io/drain';
const mirror = 'kubernetes.io/config.mirror';

/** What has completed is neither asked to leave nor waited for. */
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
  // Those that were just asked to go are on their way; with a refusal they are what it was about.
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

/** `namespace/name` of the claims of pods that stay: their volumes are not waited for. */
export const claimsOf = (pods: KubeObject[]): Set<string> =>
  new Set(
    pods.flatMap(({ metadata, spec }) =>
      ((spec as PodSpec | undefined)?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
        persistentVolumeClaim ? [`${metadata.namespace}/${persistentVolumeClaim.claimName}`] : [],
      ),
    ),
  );
