/** What survives a restart of the process, besides the objects in the clusters. */
import type { GuestInstance } from '../ports.ts';
import type { NodeTaint } from './objects.ts';

/** An API server of a control-plane node. */
export interface ApiServerRecord {
  port: number;
  /** v1.35.0 */
  version: string;
  certificate: string;
  key: string;
  /** Client certificate of the etcd CA for this node's etcd, with its serving certificate. */
  etcd?: { certificate: string; key: string };
}

/** A kubelet that has registered its node. */
export interface KubeletRecord {
  cluster: string;
  nodeName: string;
  /** Milliseconds since the epoch. */
  registeredAt: number;
  version: string;
  criSocket: string;
  externalCloud: boolean;
  providerID?: string;
  labels: Record<string, string>;
  taints: NodeTaint[];
  apiServer?: ApiServerRecord;
  /** Manifests under /etc/kubernetes/manifests, by component. */
  manifests: Record<string, StaticPod>;
}

export interface StaticPod {
  image: string;
  command: string[];
}

export interface CommandRecord {
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Seconds of work are over, apart from waiting for others. */
  due?: number;
  /** Exit status, once it ended. */
  status?: number;
}

/**
 * Its kubelet says that it cannot run anything, or says that all is well and starts and ends no pod; or it is short of
 * something, says so, and starts no pod.
 */
export type Ailment = 'NotReady' | 'Stuck' | Pressure;
export const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;
export type Pressure = (typeof pressures)[number];

export interface GuestRecord {
  instance: GuestInstance;
  bootedAt: number;
  haltedAt?: number;
  ailment?: Ailment;
  /** Of its static pods, one that is not ready. */
  illComponent?: string;
  /** Cloud-config documents; absent until the user data was read. */
  documents?: string[];
  /** Secrets to delete now that the documents are safe. */
  secrets?: string[];
  /** Files that commands wrote. */
  written?: Record<string, string>;
  /** As a command set it. */
  hostname?: string;
  /** Exit status of the last command. */
  lastStatus?: number;
  /** A command failed. */
  failed?: boolean;
  /** Nothing is left to run. */
  finishedAt?: number;
  /** Commands of the documents that ended already, counted over all of them. */
  step: number;
  /** The kubeadm command at `step`, when it is one. */
  command?: CommandRecord;
  kubelet?: KubeletRecord;
}

export interface EtcdMemberRecord {
  /** Hexadecimal. */
  id: string;
  name: string;
  instanceId: string;
  peerURL: string;
  clientURL: string;
  isLearner: boolean;
  /** Milliseconds since the epoch, of becoming a voter. */
  promoteAt?: number;
}

export interface ClusterRecord {
  id: string;
  createdAt: number;
  caCertificate: string;
  caKey: string;
  etcd: {
    clusterId: string;
    caCertificate: string;
    caKey: string;
    members: EtcdMemberRecord[];
    leader?: string;
    alarms: { memberID: string; type: string }[];
  };
  serviceSubnet: string;
  podSubnet?: string;
}
