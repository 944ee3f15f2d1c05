import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { EtcdStatus, WorkloadNode, WorkloadPod, WorkloadSnapshot } from '../../ports/workload.ts';

/**
 * Consecutive failures after which a cluster counts as unreachable. Further failures are not
 * counted, so nothing is written.
 */
export const unreachableAfter = 5;

/**
 * The answers of one probe. With `reason` set, the API server did not answer and all other fields
 * are empty.
 */
export interface Probe {
  reason?: string;
  version?: string;
  initialized?: boolean;
  nodes?: KubeObject[];
  pods?: KubeObject[];
  /** By node: whether the certificate of its API server is valid for the cluster's endpoint. */
  coversEndpoint?: ReadonlyMap<string, boolean>;
  etcd?: EtcdStatus;
  etcdUnreadable?: string;
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

type NodeSpec = { providerID?: string; taints?: WorkloadNode['taints']; unschedulable?: boolean };
type NodeStatus = {
  conditions?: (WorkloadNode['conditions'][number] & { lastHeartbeatTime?: string })[];
  nodeInfo?: Record<string, string>;
  addresses?: WorkloadNode['addresses'];
  volumesAttached?: { name: string }[];
};

/** A Node without the fields that change with every heartbeat: heartbeat times and images. */
export const nodeOf = (node: KubeObject): WorkloadNode => {
  const spec = (node.spec ?? {}) as NodeSpec;
  const status = (node.status ?? {}) as NodeStatus;
  return {
    name: node.metadata.name,
    uid: node.metadata.uid ?? '',
    ...(spec.providerID && { providerID: spec.providerID }),
    labels: node.metadata.labels ?? {},
    annotations: node.metadata.annotations ?? {},
    taints: (spec.taints ?? []).map(({ key, value, effect }) => ({ key, ...(value && { value }), effect })),
    unschedulable: spec.unschedulable === true,
    conditions: (status.conditions ?? []).map(({ lastHeartbeatTime: _, ...condition }) => condition),
    nodeInfo: status.nodeInfo ?? {},
    addresses: status.addresses ?? [],
    volumesAttached: (status.volumesAttached ?? []).map((volume) => volume.name).sort(),
  };
};

const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'] as const;

type ContainerState = Record<'waiting' | 'terminated', { reason?: string; message?: string } | undefined>;
type PodStatus = {
  phase?: string;
  conditions?: { type: string; status: string }[];
  containerStatuses?: { state?: ContainerState }[];
};

/** A static pod of the control plane; undefined for any other pod. */
export const controlPlanePodOf = (pod: KubeObject): WorkloadPod | undefined => {
  const component = components.find((name) => pod.metadata.labels?.component === name);
  const node = (pod.spec as { nodeName?: string } | undefined)?.nodeName;
  if (!component || !node) return undefined;
  const status = (pod.status ?? {}) as PodStatus;
  const state = status.containerStatuses?.[0]?.state;
  const trouble = state?.waiting ?? state?.terminated;
  return {
    component,
    node,
    phase: status.phase ?? 'Unknown',
    ready: status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
    ...(trouble?.reason && { reason: trouble.reason }),
    ...(trouble?.message && { message: trouble.message }),
    deleting: pod.metadata.deletionTimestamp !== undefined,
  };
};

export const isReadyApiServer = ({ component, ready }: WorkloadPod): boolean => component === 'kube-apiserver' && ready;
const withEndpoint = (pod: WorkloadPod, coversEndpoint: boolean | undefined): WorkloadPod =>
  isReadyApiServer(pod) && coversEndpoint !== undefined ? { ...pod, coversEndpoint } : pod;

const emptySnapshot: WorkloadSnapshot = {
  reachable: false,
  failures: 0,
  initialized: false,
  nodes: [],
  controlPlanePods: [],
};

/** The snapshot after a probe. A failed probe keeps the last answers; `now` in milliseconds. */
export const nextSnapshot = (previous: WorkloadSnapshot | undefined, probe: Probe, now: number): WorkloadSnapshot => {
  const stamp = timestamp(now);
  if (probe.reason !== undefined) {
    const { reachableSince: _, ...last } = previous ?? emptySnapshot;
    // A cluster that never answered, or is already unreachable, does not count further failures.
    const failures = last.reachable ? Math.min(last.failures + 1, unreachableAfter) : Math.max(last.failures, 1);
    return {
      ...last,
      failures,
      reachable: failures < unreachableAfter && last.reachable,
      unreachableSince: last.unreachableSince ?? stamp,
      reason: probe.reason,
    };
  }
  return {
    reachable: true,
    failures: 0,
    reachableSince: previous?.reachableSince ?? stamp,
    ...(probe.version && { version: probe.version }),
    initialized: probe.initialized ?? false,
    nodes: (probe.nodes ?? []).map(nodeOf).sort(byName),
    controlPlanePods: (probe.pods ?? [])
      .map(controlPlanePodOf)
      .filter((pod) => pod !== undefined)
      .map((pod) => withEndpoint(pod, probe.coversEndpoint?.get(pod.node)))
      .sort((a, b) => byName({ name: `${a.node}/${a.component}` }, { name: `${b.node}/${b.component}` })),
    ...(probe.etcd && {
      etcd: { ...probe.etcd, members: [...probe.etcd.members].sort((a, b) => (a.id < b.id ? -1 : 1)) },
    }),
    ...(probe.etcdUnreadable && { etcdUnreadable: probe.etcdUnreadable }),
  };
};
