/** Why a pod keeps its node from being removed, in cluster-autoscaler's order and words. Pure. */
import { parseDuration } from '../../../../machinery/api/durations.ts';
import type { Pod } from '../types.ts';
import type { Budgets } from './budgets.ts';

export type BlockingReason =
  | 'NotReplicated'
  | 'UnmovableKubeSystemPod'
  | 'NotSafeToEvictAnnotation'
  | 'LocalStorageRequested'
  | 'NotEnoughPdb'
  | 'OnCompletion';

const safeToEvict = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const safeVolumes = 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes';
const doNotDisrupt = 'karpenter.sh/do-not-disrupt';

const annotation = ({ shape }: Pod, key: string): string | undefined => shape.annotations?.[key];

/** Pods that leave with the node, or are gone already. */
export const staysBehind = ({ mirror, owner, deleting, terminal }: Pod): boolean =>
  mirror === true || deleting === true || terminal === true || owner?.kind === 'DaemonSet';

/** Karpenter's annotation holds a pod for good, or for a while after its creation. */
const isHeld = (pod: Pod, now: number): boolean => {
  const text = annotation(pod, doNotDisrupt);
  if (text === undefined) return false;
  if (text === 'true') return true;
  const seconds = parseDuration(text);
  return seconds !== undefined && now < pod.createdAt + seconds * 1000;
};

/** An annotation says that the pod must run on where it is. */
export const forbidsEviction = (pod: Pod, now: number): boolean =>
  annotation(pod, safeToEvict) === 'false' || isHeld(pod, now);

const hasLocalStorage = (pod: Pod): boolean => {
  const safe = new Set((annotation(pod, safeVolumes) ?? '').split(',').map((name) => name.trim()));
  return (pod.shape.localVolumes ?? []).some((name) => !safe.has(name));
};

export const blockerOf = (pod: Pod, budgets: Budgets, now: number): BlockingReason | undefined => {
  if (staysBehind(pod)) return undefined;
  const evictable = annotation(pod, safeToEvict);
  if (evictable !== 'true' || isHeld(pod, now)) {
    if (evictable === 'on-completion') return 'OnCompletion';
    if (!pod.owner) return 'NotReplicated';
    if (pod.namespace === 'kube-system' && !budgets.isCovered(pod)) return 'UnmovableKubeSystemPod';
    if (forbidsEviction(pod, now)) return 'NotSafeToEvictAnnotation';
    if (hasLocalStorage(pod)) return 'LocalStorageRequested';
  }
  return budgets.allows(pod) ? undefined : 'NotEnoughPdb';
};
