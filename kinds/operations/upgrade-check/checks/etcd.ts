/** Whether etcd is well enough to lose and gain members. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { labels } from '../../../common/labels.ts';
import { isDeleting } from '../../../core/contract/machines.ts';
import type { EtcdMember, EtcdStatus } from '../../../ports/workload.ts';
import { type Finding, isUnreadable, type MemberReport, nameOf, ofWorkload, type UpgradeFacts } from './facts.ts';
import { nodeNameOf } from './pods.ts';

/** The first minor whose kubeadm runs etcd 3.6. */
const firstWithEtcd36 = 34;
/** The first etcd 3.5 that can be upgraded to 3.6 safely (etcd-io/etcd#20793). */
const safePatchOfEtcd35 = 26;

type Container = { name: string; image?: string; command?: string[] };
const etcdOf = (pod: KubeObject): Container | undefined =>
  (pod.spec as { containers?: Container[] } | undefined)?.containers?.find(({ name }) => name === 'etcd');

interface ClusterConfiguration {
  etcd?: { local?: { imageTag?: string } };
}
const imageTagOf = (controlPlane: KubeObject | undefined): string | undefined =>
  (controlPlane?.spec as { kubeadmConfigSpec?: { clusterConfiguration?: ClusterConfiguration } } | undefined)
    ?.kubeadmConfigSpec?.clusterConfiguration?.etcd?.local?.imageTag;

/** etcd members that would turn into learners or zombies during the upgrade to 3.6. */
export const checkEtcdVersion = ofWorkload(({ etcdPods }, { target, controlPlane }) => {
  const pinned = imageTagOf(controlPlane);
  const stays = pinned?.startsWith('3.5.') ?? false;
  if (target.minor < firstWithEtcd36 || stays) return [];
  return etcdPods.flatMap((pod) => {
    const patch = Number(/:v?3\.5\.(\d+)/.exec(etcdOf(pod)?.image ?? '')?.[1] ?? safePatchOfEtcd35);
    if (patch >= safePatchOfEtcd35) return [];
    return [
      {
        code: 'EtcdTooOld',
        level: 'Refuse' as const,
        object: nameOf(pod, true),
        message: `It runs etcd 3.5.${patch}: members below 3.5.${safePatchOfEtcd35} can lose their vote in the upgrade to etcd 3.6`,
        remedy: `Set etcd.local.imageTag to 3.5.${safePatchOfEtcd35}-0 or newer and roll the control plane out first`,
      },
    ];
  });
});

const memberName = ({ name, id }: EtcdMember): string => `etcd member ${name || id}`;

const alarmsIn = ({ members, alarms }: EtcdStatus): Finding[] =>
  alarms.map(({ memberID, type }) => {
    const member = members.find(({ id }) => id === memberID);
    return {
      code: 'EtcdAlarm',
      level: 'Refuse',
      object: member ? memberName(member) : `etcd member ${memberID}`,
      message: `It raises the alarm ${type}`,
      remedy:
        type === 'NOSPACE'
          ? 'Compact and defragment etcd, then run: etcdctl alarm disarm'
          : 'Replace the member by deleting its Machine, then run: etcdctl alarm disarm',
    };
  });

const votesIn = ({ members }: EtcdStatus): Finding[] =>
  members
    .filter(({ name, isLearner }) => isLearner || name === '')
    .map((member) => ({
      code: 'EtcdMemberWithoutVote',
      level: 'Refuse',
      object: memberName(member),
      message: member.isLearner ? 'It is a learner, and has no vote yet' : 'It has not started',
      remedy: 'Wait until it votes, or remove it: etcdctl member remove',
    }));

/** Each member belongs to the Node of a control-plane Machine, and the other way round. */
const membershipIn = ({ members }: EtcdStatus, { machines }: UpgradeFacts): Finding[] => {
  const hosts = machines.filter((machine) => machine.metadata.labels?.[labels.controlPlane] !== undefined);
  const nodes = new Set(hosts.map(({ status }) => status?.nodeRef?.name));
  // Only Machines of the cluster can say which members are unknown.
  if (hosts.length === 0) return [];
  const unknown = members
    .filter(({ name }) => name !== '' && !nodes.has(name))
    .map(
      (member): Finding => ({
        code: 'EtcdMemberUnknown',
        level: 'Refuse',
        object: memberName(member),
        message: 'No control-plane Machine has a Node of its name',
        remedy: 'Remove it: etcdctl member remove',
      }),
    );
  const missing = hosts
    .filter((machine) => !isDeleting(machine) && machine.status?.nodeRef)
    .filter(({ status }) => !members.some(({ name }) => name === status?.nodeRef?.name))
    .map(
      (machine): Finding => ({
        code: 'EtcdMemberMissing',
        level: 'Refuse',
        object: nameOf(machine),
        message: 'Its Node has no etcd member',
        remedy: 'Repair it, or delete the Machine',
      }),
    );
  return [...unknown, ...missing];
};

const gibibyte = 1024 ** 3;
/** etcd's default. */
const defaultQuota = 2 * gibibyte;
const fullShare = 0.8;

const quotaOf = (report: MemberReport, etcdPods: readonly KubeObject[]): number => {
  if (!isUnreadable(report) && report.quota) return report.quota;
  const pod = etcdPods.find((one) => nodeNameOf(one) === report.node);
  const flag = (pod && etcdOf(pod)?.command)?.find((one) => one.startsWith('--quota-backend-bytes='));
  return Number(flag?.split('=')[1]) || defaultQuota;
};

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;

const databasesIn = (reports: readonly MemberReport[], etcdPods: readonly KubeObject[]): Finding[] =>
  reports.flatMap((report): Finding[] => {
    const object = `etcd member ${report.node}`;
    if (isUnreadable(report))
      return [
        {
          code: 'EtcdMemberNotChecked',
          level: 'Warn',
          isUnknown: true,
          object,
          message: `Its status could not be read: ${report.unreadable}`,
          remedy: 'Repair it: every member must be able to vote',
        },
      ];
    const quota = quotaOf(report, etcdPods);
    if (report.dbSize < fullShare * quota) return [];
    return [
      {
        code: 'EtcdDatabaseFull',
        level: 'Refuse',
        object,
        message: `Its database has ${mebibytes(report.dbSize)} of at most ${mebibytes(quota)}`,
        remedy: 'Compact and defragment etcd, or raise its flag quota-backend-bytes',
      },
    ];
  });

export const checkEtcd = ofWorkload(({ etcd, etcdPods }, facts) => {
  if (!etcd) return [];
  const { status, reports } = etcd;
  if (isUnreadable(status))
    return [
      {
        code: 'EtcdNotChecked',
        level: 'Warn',
        isUnknown: true,
        object: nameOf(facts.cluster),
        message: `Its etcd could not be read: ${status.unreadable}`,
        remedy: 'Make etcd answer; its members were not checked',
      },
    ];
  return [...alarmsIn(status), ...votesIn(status), ...membershipIn(status, facts), ...databasesIn(reports, etcdPods)];
});
