/** A control plane as it was observed, and what can be said of it at a glance. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, found, type Read } from '../../../machinery/api/reconcile.ts';
import type { Certificates } from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { ownersOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { type KeyPair, type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import type { Quota } from '../../core/contract/machine-quota.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Target } from '../../core/contract/target.ts';
import type { Machine } from '../../core/machine/schema.ts';
import type { EtcdAccess, EtcdStatus, WorkloadSnapshot } from '../../ports/workload.ts';
import type { KubeadmControlPlane } from './index.ts';
import { hasManagedEtcd, healthConditionTypes } from './machine-conditions.ts';
import type { Remains } from './remains.ts';

/** A machine of the control plane with everything that belongs to it. */
export interface Member {
  machine: Machine;
  infraMachine: KubeObject | undefined;
  config: KubeadmConfig | undefined;
  /** Health and UpToDate, judged now. */
  conditions: ConditionDraft[];
  /** Why it has to be replaced; empty = it is up to date. */
  outOfDate: string[];
}

/** What was read live of the workload cluster, each only when something depends on it. */
export interface Live {
  etcd?: { access: EtcdAccess; status: Read<EtcdStatus> };
  kubeadmConfig?: Read<KubeObject>;
  /** Of what kubeadm lets in, in its order. */
  bindings?: Read<KubeObject>[];
  kubeProxy?: Read<KubeObject>;
  coreDns?: Read<KubeObject>;
  coreDnsConfig?: Read<KubeObject>;
  /** When the certificates of a machine end, by its name. */
  expiries: Map<string, string>;
}

export interface ControlPlane {
  kcp: KubeadmControlPlane;
  cluster: Cluster;
  template: Read<KubeObject>;
  members: Member[];
  /** Control plane machines that somebody else controls. */
  foreign: Machine[];
  /** Control plane machines that nobody controls. */
  orphans: Machine[];
  /** Hosts and bootstrap configs that it made for Machines that are not there, and that it does not make either. */
  strays: KubeObject[];
  certificates: Certificates;
  kubeconfig: Read<Secret>;
  /** A new client certificate for the kubeconfig; present when one is needed. */
  administrator: KeyPair | undefined;
  workload: WorkloadSnapshot | undefined;
  /** Quotas of Machines that apply; read only while Machines may be created. */
  quotas: Quota[];
  live: Live;
  /** Workers of the cluster; read only while deleting or tearing down. */
  workers: Read<Machine[]> | undefined;
  /** What the cluster is worked towards. */
  target: Target;
  /** Why that is not what the spec says; empty when it is. */
  why: string;
  /** Present while tearing down. */
  remains: Remains | undefined;
}

export const nameOf = ({ machine }: Member): string => machine.metadata.name;
export const nodeOf = ({ machine }: Member): string | undefined => machine.status?.nodeRef?.name;
export const isGoing = ({ machine }: Member): boolean => isDeleting(machine);
export const isUpToDate = ({ outOfDate }: Member): boolean => outOfDate.length === 0;
export const isConditionTrue = ({ conditions }: Member, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

export const isInitialized = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean =>
  kcp.status?.initialization?.controlPlaneInitialized === true;
export const desiredReplicas = ({ kcp, target }: Pick<ControlPlane, 'kcp' | 'target'>): number =>
  isDeleting(kcp) || target === 'Nothing' ? 0 : (kcp.spec?.replicas ?? 1);
export const managesEtcd = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean => hasManagedEtcd({ controlPlane: kcp });
/** Of what runs on a machine. With labels and taints of its Node users do what they want. */
export const componentTypes = (controlPlane: Pick<ControlPlane, 'kcp'>): string[] =>
  healthConditionTypes(managesEtcd(controlPlane)).filter((type) => type !== 'NodeKubeadmLabelsAndTaintsSet');

/** Everything that a control plane needs runs there. */
export const hasHealthyComponents = (controlPlane: Pick<ControlPlane, 'kcp'>, member: Member): boolean =>
  componentTypes(controlPlane).every((type) => type === 'EtcdMemberHealthy' || isConditionTrue(member, type));

export const accessOf = ({ kubeconfig }: Pick<ControlPlane, 'kubeconfig'>): string | undefined =>
  secretValue(found(kubeconfig), 'value');

/** Another control plane of this name made it, and it is about to be collected. */
export const isLeftOver = (secret: Secret, kcp: KubeadmControlPlane): boolean =>
  ownersOf(secret).some((owner) => owner.kind === kcp.kind && owner.uid !== kcp.metadata.uid) &&
  !ownersOf(secret).some((owner) => owner.uid === kcp.metadata.uid);

export const byAge = (a: Member, b: Member): number => {
  const [left, right] = [a, b].map(
    ({ machine: { metadata } }) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`,
  );
  return left! < right! ? -1 : left! > right! ? 1 : 0;
};
