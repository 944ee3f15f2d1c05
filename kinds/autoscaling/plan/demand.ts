/** Which pods are a reason to scale. Pure. */
import { parseDuration } from '../../../machinery/api/durations.ts';
import type { Pod, Settings, Snapshot } from './types.ts';

const delayAnnotation = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay';

export type Demand = {
  /** Pods that need a place. */
  wanted: Pod[];
  /** Pods that a preemption makes room for: they occupy the node on which they will run. */
  nominated: Pod[];
  /** Pods that ask for a node and get none, with the reason. */
  refused: { pod: Pod; reason: string }[];
  /** When a pod that is too young now becomes a reason to scale. */
  nextDue?: number;
};

const delayOf = ({ shape }: Pod, fallback: number): number => {
  const seconds = parseDuration(shape.annotations?.[delayAnnotation] ?? '');
  return seconds === undefined ? fallback : Math.max(fallback, seconds * 1000);
};

/** Claims that only one pod may use, and one does. */
const exclusiveInUse = ({ pods, claims }: Snapshot): Set<string> =>
  new Set(
    pods
      .filter(({ node, terminal }) => node !== undefined && !terminal)
      .flatMap(({ namespace, claims: names = [] }) => names.map((name) => `${namespace}/${name}`))
      .filter((key) => claims[key]?.exclusive),
  );

/** Pods that the scheduler marked and no other component places. */
const isPending = ({ node, unschedulable, gated, deleting, terminal, owner }: Pod): boolean =>
  node === undefined && unschedulable === true && !gated && !deleting && !terminal && owner?.kind !== 'DaemonSet';

export const demandOf = (snapshot: Snapshot, settings: Settings, now: number): Demand => {
  const { schedulers = ['default-scheduler'], expendablePriority = -10, podDelay = 0 } = settings;
  const inUse = exclusiveInUse(snapshot);
  const names = new Set(snapshot.nodes.map(({ name }) => name));
  const demand: Demand = { wanted: [], nominated: [], refused: [] };
  const refusal = ({ shape, namespace, claims = [] }: Pod): string | undefined => {
    const { schedulerName = 'default-scheduler', priority = 0 } = shape;
    if (!schedulers.includes(schedulerName)) return `pod is scheduled by ${schedulerName}`;
    if (priority < expendablePriority) return `pod priority ${priority} is below ${expendablePriority}`;
    const missing = claims.find((name) => snapshot.claims[`${namespace}/${name}`]?.missing);
    if (missing !== undefined) return `PersistentVolumeClaim ${missing} does not exist`;
    const taken = claims.find((name) => inUse.has(`${namespace}/${name}`));
    return taken && `another pod uses PersistentVolumeClaim ${taken}, which is ReadWriteOncePod`;
  };
  for (const pod of snapshot.pods.filter(isPending)) {
    if (pod.nominatedNode !== undefined && names.has(pod.nominatedNode)) {
      demand.nominated.push(pod);
      continue;
    }
    const reason = refusal(pod);
    const due = pod.createdAt + delayOf(pod, podDelay);
    if (reason) demand.refused.push({ pod, reason });
    else if (due > now) demand.nextDue = Math.min(demand.nextDue ?? due, due);
    else demand.wanted.push(pod);
  }
  return demand;
};
