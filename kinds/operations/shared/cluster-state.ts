/** The cluster as the steps of an operation evaluate it. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Infrastructure, KeptDisks, StayingCopies } from '../../core/contract/infrastructure.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { Origin } from '../create/origin.ts';
import type { Rollout } from './rollouts.ts';

export interface ClusterState {
  cluster: Cluster;
  /** Undefined if the Cluster has no infrastructureRef. */
  infrastructure: Read<KubeObject> | undefined;
  controlPlane: Read<KubeObject> | undefined;
  machineDeployments: KubeObject[];
  machineSets: KubeObject[];
  machinePools: KubeObject[];
  machines: KubeObject[];
  /** Of the namespace; read for the first step of an upgrade. */
  kubeadmTemplates: KubeObject[];
  /** Of the control plane and of the MachineDeployments, in this order. */
  rollouts: Rollout[];
  /** What a new cluster begins with; read for the preflight of a create, if the Cluster names a snapshot. */
  origin: Origin | undefined;
  /** The EtcdSnapshots of the cluster; read for an upgrade, a restore and a delete. */
  snapshots: KubeObject[];
  /** What was found inside the cluster; read for an upgrade. */
  upgradeCheck: KubeObject | undefined;
  /** Whether the control plane runs the cluster's etcd. */
  managesEtcd: boolean;
  /** The version of etcd that the control plane's spec asks for, if it asks for one. */
  etcdVersion: string | undefined;
  /** The last probe of the workload cluster; read for a restore and a delete. */
  workload: WorkloadSnapshot | undefined;
  /** Control-plane hosts in the account that are not terminated; read only if a step needs them. */
  hostsLeft: Read<string[]>;
  /** Copies of the disks of control-plane hosts; read only if a restore needs them. */
  keptDisks: Read<KeptDisks> | undefined;
  /** Copies of disks that outlive the cluster; read for the last step of a delete. */
  stayingCopies: Read<StayingCopies> | undefined;
  /** Provider IDs of Nodes whose hosts are gone; read only if a step needs it. */
  endedHosts: Read<string[]>;
  infraMachines: KubeObject[];
  /** What is known of its infrastructure's kind; all of a provider that is not known is in its objects. */
  provider: Infrastructure;
  /** Its infrastructure and control plane, if operations can neither hold them nor tear them down. */
  foreign: KubeObject[];
  /** The ClusterResourceSets that select the cluster. */
  resourceSets: KubeObject[];
  binding: Read<KubeObject>;
  /** What Capstan created and still exists; read only if a step needs it. */
  remains: Read<string[]>;
  /** Deletes what no controller deletes. */
  stranded: Action[];
}

export type Judgement =
  /** `message`: why the step was not needed. */
  | { verdict: 'done'; message?: string }
  /**
   * `waitsFor` names what is missing, and the cause as far as it is known. `reason`: the same in one word; with
   * a change of it the message is written at once.
   */
  | { verdict: 'pending'; waitsFor: string; reason?: string }
  | { verdict: 'refused'; message: string };

/** The reason of what waits for a fault to be mended, and not for something that comes by itself. */
export const toBeMended = 'Refused';

export type Judge = (clusterState: ClusterState) => Judgement;

export const done: Judgement = { verdict: 'done' };
/** The step does not apply. */
export const skipped = (message: string): Judgement => ({ verdict: 'done', message });
export const pending = (waitsFor: string, reason?: string): Judgement => ({
  verdict: 'pending',
  waitsFor,
  ...(reason !== undefined && { reason }),
});
export const unless = (isDone: boolean, waitsFor: () => string): Judgement => (isDone ? done : pending(waitsFor()));
