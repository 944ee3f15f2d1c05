/** What the checks before an upgrade look at. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { KubernetesVersion } from '../../../common/kubernetes-version.ts';
import type { Cluster } from '../../../core/cluster/index.ts';
import type { Preflight } from '../../../core/contract/infrastructure.ts';
import type { Machine } from '../../../core/machine/index.ts';
import type { MachineDeployment } from '../../../core/machine-deployment/index.ts';
import type { DeprecatedApi, EtcdMemberStatus, EtcdStatus } from '../../../ports/workload.ts';

export interface Unreadable {
  /** Why it could not be read. */
  unreadable: string;
}

/** A member's own report, with the node that it runs on. */
export type MemberReport = { node: string } & (EtcdMemberStatus | Unreadable);

export interface EtcdFacts {
  status: EtcdStatus | Unreadable;
  reports: readonly MemberReport[];
}

/** Objects of the workload cluster. */
export interface WorkloadFacts {
  nodes: readonly KubeObject[];
  namespaces: readonly KubeObject[];
  pods: readonly KubeObject[];
  /** The static Pods of etcd, with their containers. */
  etcdPods: readonly KubeObject[];
  podDisruptionBudgets: readonly KubeObject[];
  validatingWebhooks: readonly KubeObject[];
  mutatingWebhooks: readonly KubeObject[];
  endpointSlices: readonly KubeObject[];
  apiServices: readonly KubeObject[];
  customResourceDefinitions: readonly KubeObject[];
  deployments: readonly KubeObject[];
  daemonSets: readonly KubeObject[];
  persistentVolumes: readonly KubeObject[];
  /** The ConfigMap of CoreDNS. */
  corefiles: readonly KubeObject[];
  /** The ConfigMap of kubeadm. */
  kubeadmConfigs: readonly KubeObject[];
  /** The ConfigMaps that hosts read when they join, besides that of kubeadm. */
  clusterInfos: readonly KubeObject[];
  kubeletConfigs: readonly KubeObject[];
  kubeProxyConfigs: readonly KubeObject[];
  /** Absent if Capstan has no access to the cluster's etcd. */
  etcd?: EtcdFacts;
  /** Deprecated APIs that were requested since each API server started. */
  deprecatedApis: readonly DeprecatedApi[] | Unreadable;
}

export interface UpgradeFacts {
  target: KubernetesVersion;
  /** What the control plane runs. */
  current: KubernetesVersion | undefined;
  /** The spec asks for it already: a rollout that waits is not another change. */
  isRequested?: boolean;
  cluster: Cluster;
  controlPlane: KubeObject | undefined;
  machineDeployments: readonly MachineDeployment[];
  machines: readonly Machine[];
  /** KubeadmConfigTemplates of the namespace. */
  kubeadmTemplates?: readonly KubeObject[];
  /** Whose Machines the upgrade replaces; absent: those of the control plane and of all MachineDeployments. */
  objects?: readonly { kind: string; name: string }[];
  /** What the infrastructure says about the new Machines; absent if it is not asked. */
  infrastructure?: Preflight;
  /** MachineDrainRules of the namespace. */
  drainRules?: readonly KubeObject[];
  /** A reason if the workload cluster cannot be read; absent if it is not looked at. */
  workload?: WorkloadFacts | Unreadable;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Finding {
  /** The same for every cluster with this problem, in CamelCase. */
  code: string;
  /** Refuse: the upgrade would fail or harm the cluster. Warn: a person should know. */
  level: 'Refuse' | 'Warn';
  /** The check could not be made. */
  isUnknown?: true;
  /** Kind and name; several if the same is true of each. */
  object: string;
  message: string;
  remedy: string;
}

export type Check = (facts: UpgradeFacts) => Finding[];

export const nameOf = ({ kind, metadata: { namespace, name } }: KubeObject, isNamespaced = false): string =>
  `${kind} ${isNamespaced ? `${namespace}/` : ''}${name}`;

/** A fault of a field, worded the same whichever check finds it. */
export const ofField = (
  object: string,
  path: string,
  fault: string,
  remedy: string,
): Pick<Finding, 'object' | 'message' | 'remedy'> => ({
  object,
  message: `${fault} (${path})`,
  remedy: `${remedy[0]!.toUpperCase()}${remedy.slice(1)}`,
});

export const isUnreadable = (facts: object): facts is Unreadable => 'unreadable' in facts;

/** A check that needs the workload cluster, and finds nothing without it. */
export const ofWorkload =
  (check: (workload: WorkloadFacts, facts: UpgradeFacts) => Finding[]): Check =>
  (facts) =>
    !facts.workload || isUnreadable(facts.workload) ? [] : check(facts.workload, facts);
