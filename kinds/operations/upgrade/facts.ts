/** What the checks before an upgrade look at. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { KubernetesVersion } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';

/** Objects of the workload cluster. */
export interface WorkloadFacts {
  nodes: readonly KubeObject[];
  pods: readonly KubeObject[];
  podDisruptionBudgets: readonly KubeObject[];
  /** Validating and mutating ones. */
  webhookConfigurations: readonly KubeObject[];
  endpointSlices: readonly KubeObject[];
  apiServices: readonly KubeObject[];
  customResourceDefinitions: readonly KubeObject[];
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
  /** A reason if the workload cluster cannot be read. */
  workload: WorkloadFacts | { unreadable: string };
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Finding {
  /** The same for every cluster with this problem, in CamelCase. */
  code: string;
  /** Refuse: the upgrade would fail or harm the cluster. Warn: a person should know. */
  level: 'Refuse' | 'Warn';
  /** Kind and name. */
  object: string;
  message: string;
  remedy: string;
}

export type Check = (facts: UpgradeFacts) => Finding[];

export const nameOf = ({ kind, metadata: { namespace, name } }: KubeObject, isNamespaced = false): string =>
  `${kind} ${isNamespaced ? `${namespace}/` : ''}${name}`;

/** A check that needs the workload cluster, and finds nothing without it. */
export const ofWorkload =
  (check: (workload: WorkloadFacts, facts: UpgradeFacts) => Finding[]): Check =>
  (facts) =>
    'unreadable' in facts.workload ? [] : check(facts.workload, facts);
