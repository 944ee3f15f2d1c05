/** A control plane with a dead member, which the upgrade replaces: its replacement is the repair. Pure. */
import { conditionOf, isTrue } from '../../../../machinery/api/conditions.ts';
import { compareVersions } from '../../../common/kubernetes-version.ts';
import { isDeleting } from '../../../core/contract/machines.ts';
import type { Machine } from '../../../core/machine/index.ts';
import type { Finding, UpgradeFacts } from './facts.ts';
import { replacesControlPlane } from './replaced.ts';
import { isMember, versionOf } from './versions.ts';

/** Findings about the control plane, which is not touched if only workers are replaced. */
const ofControlPlane = [
  'ControlPlaneUnhealthy',
  'ControlPlaneChanging',
  'EtcdMemberWithoutVote',
  'EtcdMemberUnknown',
  'EtcdMemberMissing',
];

const isAvailable = ({ status }: Machine): boolean => isTrue(status?.conditions, 'Available');

/** A rollout of its owner replaces it; not one that runs another version than its spec, because its image is wrong. */
const isOutdated = ({ target, isRequested }: UpgradeFacts, { spec, status }: Machine): boolean => {
  const version = versionOf(spec);
  const upToDate = conditionOf(status?.conditions, 'UpToDate');
  if (upToDate?.status === 'False' && upToDate.reason !== 'Updating') return true;
  return !isRequested && (version === undefined || compareVersions(version, target) !== 0);
};

/** Etcd takes no new member without its quorum, in which a host without a Node has no vote. */
const hasQuorum = (members: readonly Machine[]): boolean => {
  const joined = members.filter(({ status }) => status?.nodeRef !== undefined);
  const healthy = joined.flatMap(({ status }) => conditionOf(status?.conditions, 'EtcdMemberHealthy')?.status ?? []);
  return healthy.length === 0 || healthy.filter((status) => status === 'True').length * 2 > healthy.length;
};

const repairs = (facts: UpgradeFacts): boolean => {
  const members = facts.machines.filter((machine) => isMember(machine) && !isDeleting(machine));
  return hasQuorum(members) && members.some((machine) => !isAvailable(machine) && isOutdated(facts, machine));
};

/** What the upgrade itself mends, or does not touch, is only a warning. */
export const withoutRepaired = <F extends Finding>(facts: UpgradeFacts, findings: readonly F[]): F[] => {
  const isLenient = !replacesControlPlane(facts) || repairs(facts);
  return findings.map((finding) =>
    isLenient && ofControlPlane.includes(finding.code) ? { ...finding, level: 'Warn' } : finding,
  );
};
