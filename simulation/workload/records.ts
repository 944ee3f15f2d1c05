/** The state that survives a restart of the process, besides the clusters' objects. */
import type { Mount } from '../../kinds/components/files/host.ts';
import type { GuestInstance } from '../ports.ts';
import type { AuditConfiguration } from './audit/configuration.ts';
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
  /** Absent without an audit webhook. */
  audit?: AuditConfiguration;
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
  /** The kubelet itself asks AWS, up to v1.26. */
  inTreeCloud?: true;
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
  /** Those of the configuration, besides kubeadm's own. */
  mounts?: Mount[];
}

export interface CommandRecord {
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** When its working time ends, without waiting for other machines. */
  due?: number;
  /** When kubeadm stops waiting for a program that does not run. */
  givesUp?: number;
  /** Exit status of an ended command. */
  status?: number;
}

/**
 * The kubelet reports NotReady; or reports ready but starts and stops no pod; or reports a pressure
 * and starts no pod.
 */
export type Ailment = 'NotReady' | 'Stuck' | Pressure;
export const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;
export type Pressure = (typeof pressures)[number];

export interface GuestRecord {
  instance: GuestInstance;
  bootedAt: number;
  haltedAt?: number;
  /** The account has terminated it. */
  isEnded?: true;
  ailment?: Ailment;
  /** The static pod that is not ready. */
  illComponent?: string;
  /** Cloud-config documents; absent before the user data was read. */
  documents?: string[];
  /** Configurations of EKS' nodeadm. */
  nodeConfigs?: string[];
  /** Secrets to delete, now that the documents are saved. */
  secrets?: string[];
  /** Files that commands wrote. */
  written?: Record<string, string>;
  /** Set by a command. */
  hostname?: string;
  /** Exit status of the last command. */
  lastStatus?: number;
  /** When the last command ended. */
  finishedAt?: number;
  /** The number of ended commands, over all documents. */
  step: number;
  /** The kubeadm command at `step`, if it is one. */
  command?: CommandRecord;
  kubelet?: KubeletRecord;
  /** The snapshot that its etcd starts on. */
  restore?: { url: string; checksum: string; bump: number };
  /** It stands for a control plane that AWS runs: no instance, and no Node. */
  isHosted?: true;
}

export interface EtcdMemberRecord {
  /** Hexadecimal. */
  id: string;
  name: string;
  instanceId: string;
  peerURL: string;
  clientURL: string;
  isLearner: boolean;
  /** When it becomes a voter, in milliseconds since the epoch. */
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
  /** The revision of its etcd after a restore, from which changes count. */
  restoredRevision?: number;
  /** No revision of its etcd up to this one is given out again after a restart of the process. */
  reservedRevision?: number;
  /** The name by which tokens of AWS name it; absent where AWS does not run it. */
  eksName?: string;
}
