/** Whether the control plane is available; it may be smaller or older than desired. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, type Failure, found } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { listOf } from '../../common/list-of.ts';
import { hostEndOf } from '../../core/contract/host-health.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { withoutProviderId } from '../../core/contract/provider-id.ts';
import {
  type ControlPlane,
  etcdAnswers,
  hasHealthyComponents,
  isConditionTrue,
  isGoing,
  type Member,
  managesEtcd,
  nodeOf,
} from './control-plane.ts';
import { certificateProblems } from './preflight.ts';

export interface AvailabilityInput {
  initialized: boolean;
  unheeded: string[];
  lastFailure: Failure | undefined;
}

/** Why etcd is not available; undefined when a quorum of its members is healthy. */
const etcdTrouble = ({ members, workload }: ControlPlane): string | undefined => {
  const etcd = workload?.etcd;
  if (!etcd) return undefined;
  const voters = etcd.members.filter(({ isLearner }) => !isLearner);
  const isHealthy = (name: string) =>
    members.some(
      (member) =>
        nodeOf(member) === name &&
        (isGoing(member) ? etcdAnswers({ workload }, name) : isConditionTrue(member, 'EtcdMemberHealthy')),
    );
  const healthy = voters.filter(({ name }) => isHealthy(name)).length;
  const quorum = Math.floor(voters.length / 2) + 1;
  return healthy >= quorum
    ? undefined
    : `${healthy} of ${voters.length} etcd members are healthy, at least ${quorum} required for etcd quorum`;
};

/**
 * Members whose hosts have ended for good take the quorum with them: the API server does not answer any
 * more, and only a restore brings it back.
 */
const lostQuorum = (controlPlane: ControlPlane): string | undefined => {
  const { members, workload } = controlPlane;
  if (!managesEtcd(controlPlane) || controlPlane.restore) return undefined;
  const joined = members.filter(({ machine }) => machine.status?.nodeRef !== undefined);
  const lost = joined.filter(({ machine }) => hostEndOf(machine) !== undefined);
  const all = Math.max(workload?.etcd?.members.length ?? 0, joined.length);
  if (lost.length === 0 || all - lost.length >= Math.floor(all / 2) + 1) return undefined;
  const names = lost.map(({ machine }) => machine.metadata.name).sort();
  const what = `etcd has lost its quorum: the hosts of ${lost.length} of ${all} members have ended (Machine ${names.join(', ')})`;
  const left = joined.filter((member) => !lost.includes(member));
  return `${what}. ${remedyOf(controlPlane, left)}`;
};

const isComplete = ({ status }: KubeObject): boolean =>
  (status as { phase?: string } | undefined)?.phase === 'Succeeded';

/** Without a snapshot the disks of the hosts that are left are the last copy of the data. */
const remedyOf = ({ kcp, snapshots }: ControlPlane, left: readonly Member[]): string => {
  const namespace = kcp.metadata.namespace ?? '';
  const list = `capstan snapshot list ${kcp.metadata.labels?.[labels.cluster] ?? ''} -n ${namespace}`;
  const known = snapshots && found(snapshots);
  if (known === undefined || known.some(isComplete))
    return `Restore a snapshot, which replaces every member: ${list}; capstan snapshot restore NAME -n ${namespace}`;
  const deleted = `No EtcdSnapshot of the cluster is complete; a deleted one can be recovered: ${list} --deleted`;
  const hosts = left.map(({ machine: { metadata, spec } }) => `${spec?.providerID} of Machine ${metadata.name}`).sort();
  return hosts.length === 0
    ? deleted
    : `${deleted}. Else only the disks of hosts that are left have its data, and the deletion of the cluster deletes them: copy one first, as docs/snapshots.md says (${listOf(hosts)})`;
};

export const availability = (controlPlane: ControlPlane, input: AvailabilityInput): ConditionDraft => {
  const { kcp, workload, members } = controlPlane;
  const { initialized, unheeded, lastFailure } = input;
  const type = 'Available';
  const not = (problems: string[]): ConditionDraft => ({
    type,
    status: 'False',
    reason: 'NotAvailable',
    message: problems.map((problem) => (problems.length > 1 ? `* ${problem}` : problem)).join('\n'),
  });
  if (controlPlane.withheld?.releases) return not([controlPlane.why]);
  if (unheeded.length > 0) return not(unheeded);
  if (!initialized)
    return not([
      'Control plane not yet initialized',
      ...(controlPlane.why ? [controlPlane.why] : []),
      ...(lastFailure ? [`${lastFailure.operation}: ${lastFailure.message}`] : []),
    ]);
  const unread = workload?.etcdUnreadable;
  if (managesEtcd(controlPlane) && workload?.reachable && !workload.etcd && unread !== undefined)
    return { type, status: 'Unknown', reason: 'InspectionFailed', message: unread };
  const lost = workload?.reachable ? undefined : lostQuorum(controlPlane);
  if (lost !== undefined) return not([lost]);
  if (members.some(({ conditions }) => conditions.some(({ reason }) => reason === 'ConnectionDown')))
    return { type, status: 'Unknown', reason: 'ConnectionDown', message: 'Remote connection down' };
  const problems: string[] = [];
  if (isDeleting(kcp)) problems.push('Control plane metadata.deletionTimestamp is set');
  problems.push(...certificateProblems(controlPlane));
  problems.push(...healthProblems(controlPlane));
  return problems.length > 0 ? not(problems) : { type, status: 'True', reason: 'Available', message: '' };
};

const healthProblems = (controlPlane: ControlPlane): string[] => {
  const { members, workload } = controlPlane;
  const trouble = managesEtcd(controlPlane) ? etcdTrouble(controlPlane) : undefined;
  const isHealthy = members.some((member) => hasHealthyComponents(controlPlane, member));
  if (!trouble && isHealthy) return [];
  const nodeless = members.filter((member) => !isGoing(member) && nodeOf(member) === undefined);
  const [unregistered] = nodeless.flatMap(
    ({ machine }) => withoutProviderId(workload, machine.status?.addresses) ?? [],
  );
  // Without Nodes, the health of the components is unknown, so report only the missing provider ID.
  if (unregistered && nodeless.length === members.length) return [unregistered];
  return [
    ...(unregistered ? [unregistered] : []),
    ...(trouble ? [trouble] : []),
    ...(isHealthy ? [] : ['There are no Machines with healthy control plane components, at least 1 required']),
  ];
};
