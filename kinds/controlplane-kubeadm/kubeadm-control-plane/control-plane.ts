/** The observed state of a control plane, and the predicates on it. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, found, type Read, type Withheld } from '../../../machinery/api/reconcile.ts';
import type { Certificates } from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { ownersOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { type KeyPair, type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import type { Quota } from '../../core/contract/machine-quota.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Restoring } from '../../core/contract/restore.ts';
import type { Admission } from '../../core/contract/rollout.ts';
import type { Machine } from '../../core/machine/schema.ts';
import type { EtcdAccess, EtcdMemberStatus, EtcdStatus, WorkloadSnapshot } from '../../ports/workload.ts';
import type { KubeadmControlPlane } from './index.ts';
import { hasManagedEtcd, healthConditionTypes } from './machine-conditions.ts';
import type { Remains } from './remains.ts';

/** A control plane Machine with its parts. */
export interface Member {
  machine: Machine;
  infraMachine: KubeObject | undefined;
  config: KubeadmConfig | undefined;
  /** Health and UpToDate, evaluated in this pass. */
  conditions: ConditionDraft[];
  /** Why the Machine must be replaced; empty if it is up to date. */
  outOfDate: string[];
  /** The user's spec asks for it, whatever the steps work towards. */
  isAskedFor: boolean;
}

/** What this pass read from the workload cluster; each field is read only if a step needs it. */
export interface Live {
  etcd?: { access: EtcdAccess; status: Read<EtcdStatus> };
  kubeadmConfig?: Read<KubeObject>;
  /** The bindings that kubeadm's users need, in the order of `bindingsFor`. */
  bindings?: Read<KubeObject>[];
  kubeProxy?: Read<KubeObject>;
  coreDns?: Read<KubeObject>;
  coreDnsConfig?: Read<KubeObject>;
  /** The etcd member that started on a snapshot. */
  restored?: Read<EtcdMemberStatus>;
  /** When a Machine's certificates expire, by Machine name, where it is not noted yet. */
  expiries: Map<string, Read<{ notAfter: string }>>;
}

export interface ControlPlane {
  /** What the steps work towards: the user's, or its previous revision. */
  kcp: KubeadmControlPlane;
  /** Whether an upgrade admits the revision of the user's spec. */
  admission: Admission;
  cluster: Cluster;
  template: Read<KubeObject>;
  members: Member[];
  /** Control plane Machines that another object controls. */
  foreign: Machine[];
  /** Control plane Machines without a controller. */
  orphans: Machine[];
  /**
   * Infrastructure machines and bootstrap configs that the control plane created for Machines that
   * neither exist nor are being created.
   */
  orphanedParts: KubeObject[];
  certificates: Certificates;
  kubeconfig: Read<Secret>;
  /** A new client certificate for the kubeconfig; present if one is needed. */
  administrator: KeyPair | undefined;
  workload: WorkloadSnapshot | undefined;
  /** Quotas that apply to the Machines; read only if a Machine may be created. */
  quotas: Quota[];
  live: Live;
  /** Workers of the cluster; read only while deleting or tearing down. */
  workers: Read<Machine[]> | undefined;
  /** The EtcdSnapshots of the cluster; read where its API server does not answer and hosts have ended. */
  snapshots: Read<KubeObject[]> | undefined;
  /** The last snapshot of the cluster, while its deletion may wait for it. */
  finalSnapshot: Read<KubeObject> | undefined;
  withheld: Withheld | undefined;
  /** The restore of etcd that the cluster's operation asks for. */
  restore: Restoring | undefined;
  /** Why it must not follow its spec, or cannot yet; empty if it can. */
  why: string;
  /** Present while tearing down. */
  remains: Remains | undefined;
}

export const nameOf = ({ machine }: Member): string => machine.metadata.name;
export const nodeOf = ({ machine }: Member): string | undefined => machine.status?.nodeRef?.name;
export const isGoing = ({ machine }: Member): boolean => isDeleting(machine);
export const isUpToDate = ({ outOfDate }: Member): boolean => outOfDate.length === 0;
export const needsRollout = ({ members }: Pick<ControlPlane, 'members'>): boolean =>
  members.some((member) => !isUpToDate(member) && !isGoing(member));
export const isConditionTrue = ({ conditions }: Member, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

export const isInitialized = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean =>
  kcp.status?.initialization?.controlPlaneInitialized === true;
export const desiredReplicas = ({ kcp, withheld }: Pick<ControlPlane, 'kcp' | 'withheld'>): number =>
  isDeleting(kcp) || withheld?.releases ? 0 : (kcp.spec?.replicas ?? 1);
export const managesEtcd = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean => hasManagedEtcd({ controlPlane: kcp });
/**
 * Conditions of the components on a Machine. Users may change the labels and taints of its Node, so
 * that condition does not count.
 */
export const componentTypes = (controlPlane: Pick<ControlPlane, 'kcp'>): string[] =>
  healthConditionTypes(managesEtcd(controlPlane)).filter((type) => type !== 'NodeKubeadmLabelsAndTaintsSet');

/** Whether all control plane components on the Machine are healthy. */
export const hasHealthyComponents = (controlPlane: Pick<ControlPlane, 'kcp'>, member: Member): boolean =>
  componentTypes(controlPlane).every((type) => type === 'EtcdMemberHealthy' || isConditionTrue(member, type));

/** Whether the kubelet reports that etcd on this node answers; the last probe saw that. */
export const etcdAnswers = ({ workload }: Pick<ControlPlane, 'workload'>, node: string | undefined): boolean =>
  workload?.controlPlanePods.some((pod) => pod.component === 'etcd' && pod.node === node && pod.ready) ?? false;

export const accessOf = ({ kubeconfig }: Pick<ControlPlane, 'kubeconfig'>): string | undefined =>
  secretValue(found(kubeconfig), 'value');

/**
 * A former control plane of this name owns the Secret, so the garbage collector is about to delete
 * it.
 */
export const isLeftOver = (secret: Secret, kcp: KubeadmControlPlane): boolean =>
  ownersOf(secret).some((owner) => owner.kind === kcp.kind && owner.uid !== kcp.metadata.uid) &&
  !ownersOf(secret).some((owner) => owner.uid === kcp.metadata.uid);

export const byAge = (a: Member, b: Member): number => {
  const [left, right] = [a, b].map(
    ({ machine: { metadata } }) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`,
  );
  return left! < right! ? -1 : left! > right! ? 1 : 0;
};
