/**
 * The workload cluster port: its Kubernetes API, with credentials in each request, and its etcd
 * members. A read that fails with anything but a definite 404 is unreadable.
 */

import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import { asks, calls } from './port.ts';

/** The kubeconfig to connect with: Secret `<cluster>-kubeconfig`, as text. */
export type Access = {
  kubeconfig: string;
};

export type EtcdMember = {
  /** Hexadecimal. */
  id: string;
  /** The node's name; empty while the member has not started. */
  name: string;
  peerURLs: string[];
  clientURLs: string[];
  isLearner: boolean;
};
export type EtcdStatus = {
  members: EtcdMember[];
  /** Id of the leader, hexadecimal. */
  leader?: string;
  alarms: { memberID: string; type: string }[];
};

/** What a member reports of itself. */
export type EtcdMemberStatus = {
  /** Hexadecimal. */
  id: string;
  version: string;
  revision: number;
  /** Bytes of its database file. */
  dbSize: number;
  /** Bytes that the file may have; reported since etcd 3.6. */
  quota?: number;
};

/** A deprecated API that a client has requested since the API server started. */
export type DeprecatedApi = {
  group: string;
  version: string;
  resource: string;
  /** The minor release without it, such as 1.38; empty if that is not decided. */
  removedRelease: string;
};

/** Stored objects of a kind that an API server does not serve. */
export type UnservedKind = {
  apiVersion: string;
  kind: string;
  count: number;
  /** Namespace and name of one of them. */
  example: string;
};

/** etcd is reached through the API server, with a client certificate of the etcd CA (PEM). */
export type EtcdAccess = Access & {
  caCertificate: string;
  clientCertificate: string;
  clientKey: string;
  /** A node whose etcd answers first; the others are tried after it. */
  nodes: string[];
};

export interface WorkloadReads {
  /** One object; a definite 404 means absent. */
  get: [Access & { apiVersion: string; kind: string; namespace?: string; name: string }, KubeObject];
  list: [
    Access & {
      apiVersion: string;
      kind: string;
      namespace?: string;
      labelSelector?: string;
      fieldSelector?: string;
      /**
       * Paths of the fields to keep besides kind and name, so that long lists fit in memory. A path
       * leads into each item of a list.
       */
      only?: string[];
    },
    { items: KubeObject[] },
  ];
  version: [Access, { gitVersion: string }];
  etcd: [EtcdAccess, EtcdStatus];
  /** The member of the first node that answers. */
  etcdMember: [EtcdAccess, EtcdMemberStatus];
  /**
   * The API server's serving certificate on a node, read by TLS: its expiry, RFC 3339, and whether
   * it is valid for the host of the kubeconfig.
   */
  servingCertificate: [Access & { node: string }, { notAfter: string; coversEndpoint: boolean }];
  /** From the metrics of the API server on a node. */
  deprecatedApis: [Access & { node: string }, { apis: DeprecatedApi[] }];
  /** What the API server on the node `newer` serves, and the one on `older` does not. */
  unservedObjects: [Access & { older: string; newer: string }, { kinds: UnservedKind[] }];
}

export interface WorkloadEffects {
  /** An existing object counts as success. */
  create: Access & { object: JsonObject };
  /** Merge patch; with `ifPresent` an absent object counts as success. */
  patch: Access & {
    apiVersion: string;
    kind: string;
    namespace?: string;
    name: string;
    patch: JsonObject;
    resourceVersion?: string;
    ifPresent?: boolean;
  };
  /** Creates the object, or merge-patches the existing one. */
  apply: Access & { object: JsonObject };
  /**
   * Server-side apply: creates the object or takes over its fields, and drops those that the manager
   * no longer names.
   */
  applyServerSide: Access & { object: JsonObject; fieldManager: string };
  delete: Access & { apiVersion: string; kind: string; namespace?: string; name: string };
  /**
   * policy/v1 Eviction. Status 429, with code TooManyRequests, means that a disruption budget
   * blocks it. All failures wait.
   */
  evict: Access & { namespace: string; pod: string; gracePeriodSeconds?: number };
  etcdMoveLeader: EtcdAccess & { to: string };
  etcdRemoveMember: EtcdAccess & { memberID: string };
}

/**
 * The server refused or could not be reached; `code` is the Status reason, or Unreachable,
 * Unauthorized, Timeout.
 */
export class WorkloadError extends Error {
  override readonly name = 'WorkloadError';
  readonly code: string;
  /** The cluster belongs to a user, who may have switched it off. */
  readonly isExternal = true;
  /** `wait`: no fault; the caller retries at its own interval. */
  readonly consequence: 'wait' | undefined;
  constructor(code: string, message: string, options: ErrorOptions & { consequence?: 'wait' } = {}) {
    super(message, options);
    this.code = code;
    this.consequence = options.consequence;
  }
}

/** Begins the reason of every read with a kubeconfig that names no server to connect to. */
export const unusableKubeconfig = 'the kubeconfig cannot be used';
export const invalidKubeconfig = (why: string, options?: ErrorOptions): WorkloadError =>
  new WorkloadError('InvalidKubeconfig', `${unusableKubeconfig}: ${why}`, options);

export interface Workload {
  read<R extends keyof WorkloadReads>(
    operation: R,
    input: WorkloadReads[R][0],
  ): Promise<WorkloadReads[R][1] | undefined>;
  effect<E extends keyof WorkloadEffects>(operation: E, input: WorkloadEffects[E]): Promise<void>;
}

/**
 * The prober's record of a workload cluster: everything that reconcilers observe of it, without
 * heartbeats.
 */
export type WorkloadSnapshot = {
  /** False: the last probes failed, and the rest is the last known state. */
  reachable: boolean;
  /** Consecutive failed probes. */
  failures: number;
  /**
   * RFC 3339, of the first success after a failure, so a healthy cluster's snapshot does not
   * change.
   */
  reachableSince?: string;
  /** RFC 3339, of the first failure after a success. */
  unreachableSince?: string;
  reason?: string;
  version?: string;
  /** ConfigMap kube-system/kubeadm-config exists. */
  initialized: boolean;
  nodes: WorkloadNode[];
  /** Static pods of the control plane, by node and component. */
  controlPlanePods: WorkloadPod[];
  etcd?: EtcdStatus;
  /** Why etcd members could not be listed. */
  etcdUnreadable?: string;
};
export type WorkloadNode = {
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
};
export type WorkloadPod = {
  component: 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'etcd';
  node: string;
  phase: string;
  ready: boolean;
  /** The waiting or terminated reason of its container. */
  reason?: string;
  message?: string;
  deleting: boolean;
  /**
   * Of a ready API server: whether its certificate is valid for the cluster's endpoint. Absent
   * while that is unknown.
   */
  coversEndpoint?: boolean;
};

export const askWorkload = asks<WorkloadReads>('workload');
export const callWorkload = calls<WorkloadEffects>('workload');
