/** The fields of built-in objects that the simulated cluster acts on. */

import { labelMatcher } from '../../machinery/api/labels.ts';
import { timestamp } from '../../machinery/api/lifecycle.ts';
import type { KubeObject, LabelSelector, ObjectMeta } from '../../machinery/api/object.ts';

export interface StatusCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastHeartbeatTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string | null;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}
export interface NodeTaint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}
export interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}
export interface NodeSelectorTerm {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

export interface Container {
  name: string;
  image?: string;
  command?: string[];
  [field: string]: unknown;
}
export interface SpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable?: string;
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  minDomains?: number;
  nodeAffinityPolicy?: 'Honor' | 'Ignore';
  nodeTaintsPolicy?: 'Honor' | 'Ignore';
}
export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  topologyKey: string;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
}
export interface PodVolume {
  name: string;
  hostPath?: { path: string };
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: object;
  [source: string]: unknown;
}
export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  affinity?: {
    nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeSelectorTerm[] } };
    podAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] };
    podAntiAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] };
  };
  topologySpreadConstraints?: SpreadConstraint[];
  volumes?: PodVolume[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  hostNetwork?: boolean;
  restartPolicy?: string;
  schedulerName?: string;
  serviceAccountName?: string;
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}
export interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
  state?: {
    running?: { startedAt: string };
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; message?: string; exitCode: number; startedAt?: string; finishedAt?: string };
  };
}
export interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: StatusCondition[];
  containerStatuses?: ContainerStatus[];
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  qosClass?: string;
  nominatedNodeName?: string;
}
export type PodObject = KubeObject<PodSpec, PodStatus>;
export interface PodTemplate {
  metadata?: Partial<ObjectMeta>;
  spec?: PodSpec;
}

export interface NodeSpec {
  providerID?: string;
  taints?: NodeTaint[];
  unschedulable?: boolean;
  podCIDR?: string;
  podCIDRs?: string[];
}
export interface NodeStatus {
  conditions?: StatusCondition[];
  addresses?: { type: string; address: string }[];
  nodeInfo?: Record<string, string>;
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  [field: string]: unknown;
}
export type NodeObject = KubeObject<NodeSpec, NodeStatus>;

export interface ClaimSpec {
  accessModes?: string[];
  storageClassName?: string;
  volumeName?: string;
  resources?: { requests?: { storage?: string } };
}
export interface ClaimStatus {
  phase?: string;
  accessModes?: string[];
  capacity?: { storage?: string };
}
export type ClaimObject = KubeObject<ClaimSpec, ClaimStatus>;

export interface VolumeSpec {
  accessModes?: string[];
  storageClassName?: string;
  capacity?: { storage?: string };
  claimRef?: { kind?: string; namespace?: string; name?: string; uid?: string };
  csi?: { driver: string; volumeHandle: string };
  nodeAffinity?: { required?: { nodeSelectorTerms?: NodeSelectorTerm[] } };
  persistentVolumeReclaimPolicy?: string;
}
export type VolumeObject = KubeObject<VolumeSpec, { phase?: string }>;

export interface StorageClassObject extends KubeObject {
  provisioner?: string;
  volumeBindingMode?: string;
  reclaimPolicy?: string;
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] }[] }[];
}

type IntOrPercent = number | string;
export interface DeploymentSpec {
  replicas?: number;
  paused?: boolean;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  template: PodTemplate;
  strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
}
export type DeploymentObject = KubeObject<DeploymentSpec, Record<string, unknown>>;

export interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector: LabelSelector;
  template: PodTemplate;
}
export type ReplicaSetObject = KubeObject<ReplicaSetSpec, Record<string, unknown>>;

export interface DaemonSetSpec {
  selector: LabelSelector;
  template: PodTemplate;
  minReadySeconds?: number;
  updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: IntOrPercent } };
}
export type DaemonSetObject = KubeObject<DaemonSetSpec, Record<string, unknown>>;

export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplate;
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  volumeClaimTemplates?: (KubeObject & { spec?: unknown })[];
}
export type StatefulSetObject = KubeObject<StatefulSetSpec, Record<string, unknown>>;

export interface JobSpec {
  completions?: number;
  parallelism?: number;
  suspend?: boolean;
  selector?: LabelSelector;
  template: PodTemplate;
  ttlSecondsAfterFinished?: number;
}
export interface JobStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  ready?: number;
  startTime?: string;
  completionTime?: string;
  conditions?: StatusCondition[];
}
export type JobObject = KubeObject<JobSpec, JobStatus>;

export interface DisruptionBudgetSpec {
  minAvailable?: IntOrPercent;
  maxUnavailable?: IntOrPercent;
  selector?: LabelSelector;
}
export interface DisruptionBudgetStatus {
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  disruptionsAllowed?: number;
  observedGeneration?: number;
  conditions?: StatusCondition[];
}
export type DisruptionBudgetObject = KubeObject<DisruptionBudgetSpec, DisruptionBudgetStatus>;

/** `count`, or a percentage of `of`, rounded as given. */
export const resolve = (value: IntOrPercent | undefined, of: number, round: 'up' | 'down'): number => {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * of) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
};

const holds = ({ key, operator, values = [] }: Requirement, labels: Record<string, string>): boolean => {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return labelMatcher({ matchExpressions: [{ key, operator, values }] })(labels);
  }
};

export const meets = (requirements: Requirement[] | undefined, labels: Record<string, string>): boolean =>
  (requirements ?? []).every((requirement) => holds(requirement, labels));

/** An empty selector matches everything; an absent one nothing. */
export const selects = (selector: LabelSelector | undefined, labels: Record<string, string> | undefined): boolean =>
  labelMatcher(selector)(labels);

export const conditionOf = (
  object: { status?: { conditions?: StatusCondition[] } } | undefined,
  type: string,
): StatusCondition | undefined => object?.status?.conditions?.find((condition) => condition.type === type);
export const isTrue = (object: { status?: { conditions?: StatusCondition[] } } | undefined, type: string): boolean =>
  conditionOf(object, type)?.status === 'True';

/** `conditions` with this one in place; its time changes only with its status. */
export const withCondition = (
  conditions: StatusCondition[] | undefined,
  next: StatusCondition,
  now: number,
): StatusCondition[] => {
  const before = conditions?.find((condition) => condition.type === next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : timestamp(now);
  const condition = { ...next, lastTransitionTime: lastTransitionTime ?? timestamp(now) };
  return before
    ? conditions!.map((c) =>
        c.type === next.type ? { ...(c.lastProbeTime === null && { lastProbeTime: null }), ...condition } : c,
      )
    : [...(conditions ?? []), condition];
};

export const isPodReady = (pod: PodObject): boolean => isTrue(pod, 'Ready');
/** Neither finished nor in deletion. */
export const isPodActive = (pod: PodObject): boolean =>
  !pod.metadata.deletionTimestamp && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
export const controllerOf = (object: KubeObject) => object.metadata.ownerReferences?.find((owner) => owner.controller);
/** A pod that a kubelet runs from a file, shown in the API. */
export const isMirrorPod = (pod: KubeObject): boolean =>
  pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
