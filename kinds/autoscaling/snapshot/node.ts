/** A Node of the workload cluster as scaling decisions see it. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { amounts } from '../plan/requests.ts';
import { isOwnRemovalTaint } from '../plan/taints.ts';
import type { Node, Resources, Taint } from '../plan/types.ts';
import { volumeResource } from '../plan/vector.ts';

type NodeSpec = { taints?: Taint[]; unschedulable?: boolean };
type NodeStatus = {
  allocatable?: Record<string, string>;
  capacity?: Record<string, string>;
  conditions?: { type: string; status: string; lastTransitionTime?: string }[];
};
export type NodeObject = KubeObject<NodeSpec, NodeStatus>;

/** Annotations that a decision reads. */
const relevant = new Set(['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'karpenter.sh/do-not-disrupt']);

const timeOf = (text: string | undefined): number => Date.parse(text ?? '') || 0;

/** How many volumes each CSI driver attaches to the node, where it reports that. */
export const volumeLimits = ({ spec }: KubeObject): Resources => {
  const { drivers = [] } = (spec ?? {}) as { drivers?: { name: string; allocatable?: { count?: number } }[] };
  return Object.fromEntries(
    drivers.flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined ? [] : [[volumeResource(name), allocatable.count]],
    ),
  );
};

export const nodeOf = ({ metadata, spec = {}, status = {} }: NodeObject, volumes: Resources = {}): Node => {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => relevant.has(key));
  // A decision does not depend on what an earlier one chose to remove.
  const given = spec.taints?.filter((taint) => !isOwnRemovalTaint(taint));
  const taints = given?.map(({ key, value, effect }) => ({ key, ...(value && { value }), effect }));
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(taints?.length && { taints }),
    ...(spec.unschedulable && { unschedulable: true }),
    allocatable: { ...amounts(status.allocatable), ...volumes },
    capacity: amounts(status.capacity),
    ready: ready?.status === 'True',
    ...(ready?.lastTransitionTime && { readySince: timeOf(ready.lastTransitionTime) }),
    createdAt: timeOf(metadata.creationTimestamp),
  };
};
