/** What core asks of a control plane besides the fields of its objects. */
import type { GroupKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { Machine } from '../machine/schema.ts';

/** The API group of the kinds of all control plane providers. */
export const controlPlaneGroup = 'controlplane.cluster.x-k8s.io';

/**
 * Alias of a cluster's control plane. A WorkloadSnapshot whose control plane nodes changed wakes
 * the objects under this alias.
 */
export const controlPlaneAlias = 'control-plane';
export const aliasOfControlPlane = (): string => controlPlaneAlias;

export interface ControlPlaneMachine {
  machine: Machine;
  controlPlane: KubeObject;
  /** Undefined until the prober has first probed the workload cluster. */
  snapshot: WorkloadSnapshot | undefined;
  infraMachine: KubeObject | undefined;
  bootstrapConfig: KubeObject | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Tags of the images of add-ons; absent: the control plane leaves the add-on as it is. */
export interface AddOnTags {
  kubeProxy?: string;
  /** Never lowered. */
  coreDns?: string;
}

/** What a provider adds to the contract's fields; each is optional. */
export type ControlPlaneProvider = GroupKind & Partial<ControlPlaneQueries>;

/** `group`, `kind`: of its control plane objects. */
export interface ControlPlaneQueries extends GroupKind {
  /**
   * Machine conditions that only the control plane can evaluate; the Machine controller writes
   * them.
   */
  machineConditions: (facts: ControlPlaneMachine) => ConditionDraft[];
  /**
   * The revision of the spec whose rollout an upgrade admits; see rollout.ts. It changes at least
   * with every change that replaces Machines.
   */
  rolloutRevision: (controlPlane: KubeObject) => string;
  /** Whether its controller keeps to the targets of operations, so that they can hold it and take it back. */
  followsTargets: boolean;
  /** Whether its Machines run the cluster's etcd. */
  managesEtcd: (controlPlane: KubeObject) => boolean;
  /** Names of the Secrets whose values its hosts get as files, such as keys of encryption. */
  fileSecrets: (controlPlane: KubeObject) => string[];
  /**
   * The file that its API servers take the keys of encryption at rest from; undefined if the spec names
   * none.
   */
  encryptionConfig?: (controlPlane: KubeObject, read: Reader) => Read<string> | undefined;
  /** The version of etcd that the spec asks for; undefined if the Kubernetes version decides. */
  etcdVersion?: (controlPlane: KubeObject) => string | undefined;
  /** What it rolls out after its Machines. */
  addOnTags: (controlPlane: KubeObject) => AddOnTags;
  /** When the passage of time alone makes the Machine outdated, in milliseconds since the epoch. */
  outOfDateTimes: (facts: Pick<ControlPlaneMachine, 'machine' | 'controlPlane'>) => number[];
}
