/** Chooses the etcd member that a snapshot is read from. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { type Secret, secretName, secretValue } from '../../core/contract/cluster-secrets.ts';
import { etcdProof } from '../../core/contract/etcd-client.ts';
import { snapshotOf } from '../../core/contract/workload-snapshot.ts';
import { askWorkload } from '../../ports/index.ts';
import type { EtcdAccess, EtcdMemberStatus, EtcdStatus, WorkloadSnapshot } from '../../ports/workload.ts';

export interface Source {
  /** With the chosen member's node alone. */
  access: EtcdAccess;
  node: string;
  member: EtcdMemberStatus;
  alarms: string[];
  kubernetesVersion: string;
}

/** Why no member can be read now. */
export interface Waiting {
  reason: string;
  message: string;
}

export const isWaiting = (source: Source | Waiting): source is Waiting => 'reason' in source;

/** The nodes whose etcd pod is ready. */
const readyNodes = ({ controlPlanePods }: WorkloadSnapshot): string[] =>
  controlPlanePods
    .filter(({ component, ready, deleting }) => component === 'etcd' && ready && !deleting)
    .map(({ node }) => node)
    .sort();

/**
 * Voting members on ready nodes, the leader last: reading a whole database slows a member down, and
 * the leader serves all writes.
 */
export const candidates = ({ members, leader }: EtcdStatus, ready: readonly string[]): string[] => {
  const voters = members.filter(({ name, isLearner }) => !isLearner && ready.includes(name));
  const followers = voters.filter(({ id }) => id !== leader).map(({ name }) => name);
  const leaders = voters.filter(({ id }) => id === leader).map(({ name }) => name);
  return followers.length > 0 ? followers.sort() : leaders;
};

const reasonOf = (read: Read<unknown>): string => (read.state === 'unreadable' ? read.reason : 'not read yet');

/** `attempts`: each attempt after a failure asks another member. */
export const observeSource = (
  read: Reader,
  cluster: KubeObject,
  { now, attempts }: { now: number; attempts: number },
): Source | Waiting => {
  const { namespace = '', name } = cluster.metadata;
  const key = { namespace, name };
  const secretOf = (purpose: 'kubeconfig' | 'etcd') =>
    found(read.get<Secret>('Secret', { namespace, name: secretName(name, purpose) }));
  const [kubeconfigSecret, authority] = [secretOf('kubeconfig'), secretOf('etcd')];
  const workload = snapshotOf(read, key, cluster);
  const kubeconfig = secretValue(kubeconfigSecret, 'value');
  if (!kubeconfig || !workload)
    return { reason: 'WaitingForControlPlane', message: `Waiting for the control plane of Cluster ${name}` };
  if (!workload.reachable)
    return { reason: 'ClusterUnreachable', message: `The API server of Cluster ${name} does not answer` };
  const proof = etcdProof(authority, 'capstan-snapshot', read, now);
  if (proof.state === 'unread' || proof.state === 'unreadable')
    return { reason: 'EtcdUnreadable', message: `No client of etcd could be signed: ${reasonOf(proof)}` };
  if (proof.state === 'absent')
    return {
      reason: 'NoEtcdAuthority',
      message: `Secret ${secretName(name, 'etcd')} has no certificate authority with its key to sign a client of etcd`,
    };
  const nodes = readyNodes(workload);
  if (nodes.length === 0) return { reason: 'NoHealthyMember', message: 'No node runs a ready etcd member' };
  const access = { kubeconfig, ...proof.value };
  const etcd = askWorkload(read, 'etcd', { ...access, nodes });
  if (etcd.state !== 'found') return { reason: 'EtcdUnreadable', message: `etcd does not answer: ${reasonOf(etcd)}` };
  const choice = candidates(etcd.value, nodes);
  const node = choice[attempts % choice.length];
  if (node === undefined) return { reason: 'NoHealthyMember', message: 'No voting etcd member is on a ready node' };
  const own = { ...access, nodes: [node] };
  const member = askWorkload(read, 'etcdMember', own);
  if (member.state !== 'found')
    return { reason: 'EtcdUnreadable', message: `etcd on ${node} does not answer: ${reasonOf(member)}` };
  const alarms = [...new Set(etcd.value.alarms.map(({ type }) => type))].sort();
  return { access: own, node, member: member.value, alarms, kubernetesVersion: workload.version ?? '' };
};
