/**
 * What kinds ask of a workload cluster: its Kubernetes API, spoken with credentials that are part of the request, and its
 * etcd members. Reads that fail for any other reason than a definite 404 are unreadable.
 */
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';

/** Where and as whom: the kubeconfig of Secret `<cluster>-kubeconfig`, as text. */
export interface Access {
  kubeconfig: string;
}

export interface EtcdMember {
  /** Hexadecimal. */
  id: string;
  /** The node's name; empty while a member has not started. */
  name: string;
  peerURLs: string[];
  clientURLs: string[];
  isLearner: boolean;
}
export interface EtcdStatus {
  members: EtcdMember[];
  /** Id of the leader, hexadecimal. */
  leader?: string;
  alarms: { memberID: string; type: string }[];
}

/** etcd is reached through the API server, with a client certificate of the etcd CA (PEM). */
export interface EtcdAccess extends Access {
  caCertificate: string;
  clientCertificate: string;
  clientKey: string;
  /** A node whose etcd answers; others are tried after it. */
  nodes: string[];
}

export interface WorkloadReads {
  /** One object; definite 404 = absent. */
  get: [Access & { apiVersion: string; kind: string; namespace?: string; name: string }, KubeObject];
  list: [
    Access & { apiVersion: string; kind: string; namespace?: string; labelSelector?: string; fieldSelector?: string },
    { items: KubeObject[] },
  ];
  version: [Access, { gitVersion: string }];
  etcd: [EtcdAccess, EtcdStatus];
  /** The serving certificate's end, RFC 3339, by TLS, of the API server on a node. */
  certificateExpiry: [Access & { node: string }, { notAfter: string }];
}

export interface WorkloadEffects {
  /** Already there = done. */
  create: Access & { object: JsonObject };
  /** Merge patch; absent = done when `ifPresent`. */
  patch: Access & {
    apiVersion: string;
    kind: string;
    namespace?: string;
    name: string;
    patch: JsonObject;
    resourceVersion?: string;
    ifPresent?: boolean;
  };
  /** Create, or merge-patch what is there to what is given. */
  apply: Access & { object: JsonObject };
  delete: Access & { apiVersion: string; kind: string; namespace?: string; name: string };
  /** policy/v1 Eviction. 429 is a failure with code TooManyRequests: a disruption budget stands in the way. All failures wait. */
  evict: Access & { namespace: string; pod: string; gracePeriodSeconds?: number };
  etcdMoveLeader: EtcdAccess & { to: string };
  etcdRemoveMember: EtcdAccess & { memberID: string };
}

/** The other side refused or could not be reached; `code` is the Status reason, or Unreachable, Unauthorized, Timeout. */
export class WorkloadError extends Error {
  override readonly name = 'WorkloadError';
  readonly code: string;
  /** `wait`: nothing is wrong, and it is asked again as often as whoever asks says. */
  readonly consequence: 'wait' | undefined;
  constructor(code: string, message: string, options: ErrorOptions & { consequence?: 'wait' } = {}) {
    super(message, options);
    this.code = code;
    this.consequence = options.consequence;
  }
}

export interface Workload {
  read<R extends keyof WorkloadReads>(
    operation: R,
    input: WorkloadReads[R][0],
  ): Promise<WorkloadReads[R][1] | undefined>;
  effect<E extends keyof WorkloadEffects>(operation: E, input: WorkloadEffects[E]): Promise<void>;
}

/** What the prober keeps of a workload cluster: everything reconcilers observe of it, and nothing that beats. */
export interface WorkloadSnapshot {
  /** False: the last probes failed; the rest is what was last seen. */
  reachable: boolean;
  /** Consecutive failed probes. */
  failures: number;
  /** RFC 3339; of the first success after a failure, so a healthy cluster's snapshot does not change. */
  reachableSince?: string;
  /** RFC 3339; of the first failure after a success. */
  unreachableSince?: string;
  reason?: string;
  version?: string;
  /** ConfigMap kube-system/kubeadm-config exists. */
  initialized: boolean;
  nodes: WorkloadNode[];
  /** Static pods of the control plane, by node and component. */
  controlPlanePods: WorkloadPod[];
  etcd?: EtcdStatus;
  /** Why etcd could not be listed. */
  etcdUnreadable?: string;
}
export interface WorkloadNode {
  name: string;
  uid: string;
  providerID?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: { key: string; value?: string; effect: string }[];
  unschedulable: boolean;
  /** Without heartbeat times. */
  conditions: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  nodeInfo: Record<string, string>;
  addresses: { type: string; address: string }[];
  volumesAttached: string[];
}
export interface WorkloadPod {
  component: 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'etcd';
  node: string;
  phase: string;
  ready: boolean;
  /** waiting or terminated reason of its container. */
  reason?: string;
  message?: string;
  deleting: boolean;
}
