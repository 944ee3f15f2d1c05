/** Whether the versions permit the upgrade. Pure. */
import { isTrue } from '../../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { mergePatch } from '../../../common/causes/index.ts';
import {
  compareVersions,
  type KubernetesVersion,
  lowestVersion,
  parseVersion,
} from '../../../common/kubernetes-version.ts';
import { labels } from '../../../common/labels.ts';
import { isDeleting } from '../../../core/contract/machines.ts';
import { objectTarget } from '../../../core/contract/object-targets.ts';
import type { Machine } from '../../../core/machine/index.ts';
import { type Check, type Finding, nameOf, type UpgradeFacts } from './facts.ts';
import { replacesControlPlane, replacesWorkersOf } from './replaced.ts';

/** Minors by which a kubelet may be older than the API server. */
const kubeletSkew = 3;
export const textOf = ({ major, minor, patch, prerelease }: KubernetesVersion): string =>
  `v${major}.${minor}.${patch}${prerelease ? `-${prerelease}` : ''}`;

export const versionOf = (spec: unknown): KubernetesVersion | undefined =>
  parseVersion((spec as { version?: string } | undefined)?.version ?? '');

export const isMember = ({ metadata: { labels: of = {} } }: Machine): boolean => of[labels.controlPlane] !== undefined;

/** The version of the oldest member, which is that of the cluster until it is replaced; else what the spec asks for. */
export const runningVersion = (
  controlPlane: KubeObject | undefined,
  machines: readonly Machine[],
): KubernetesVersion | undefined => {
  const lowest = lowestVersion(machines.filter(isMember).flatMap(({ spec }) => spec?.version ?? []));
  return (lowest !== undefined && parseVersion(lowest)) || (controlPlane && versionOf(controlPlane.spec));
};

/**
 * Members of a newer version that would be removed. A single one that never served is a failed attempt,
 * which can be taken back.
 */
const newerMembers = ({ target, machines }: UpgradeFacts): Machine[] => {
  const newer = machines.filter((machine) => {
    const version = versionOf(machine.spec);
    return isMember(machine) && !isDeleting(machine) && version !== undefined && compareVersions(version, target) > 0;
  });
  const serves = newer.some(({ status }) => isTrue(status?.conditions, 'Available'));
  return serves || newer.length > 1 ? newer : [];
};

const newestOf = (machines: readonly Machine[]): KubernetesVersion | undefined =>
  machines
    .flatMap(({ spec }) => versionOf(spec) ?? [])
    .toSorted(compareVersions)
    .at(-1);

/** A Cluster with a topology sets the version of its control plane. */
const setVersion = ({ cluster }: UpgradeFacts, controlPlane: KubeObject, to: KubernetesVersion): string => {
  const version = textOf(to);
  const { topology } = (cluster.spec ?? {}) as { topology?: object };
  return topology
    ? mergePatch(cluster, { spec: { topology: { version } } })
    : mergePatch(controlPlane, { spec: { version } });
};

export const checkTarget: Check = (facts) => {
  const { target, current, controlPlane } = facts;
  if (!controlPlane || !current) return [];
  const refuse = (code: string, message: string, remedy: string): Finding[] => [
    { code, level: 'Refuse', object: nameOf(controlPlane), message, remedy },
  ];
  const runs = `The control plane runs ${textOf(current)}`;
  if (compareVersions(target, current) < 0)
    return refuse(
      'VersionIsLower',
      runs,
      `To stay at ${textOf(current)}, run: ${setVersion(facts, controlPlane, current)}; or set one above it; to return to an older one, restore a snapshot that was taken in it`,
    );
  const newer = newerMembers(facts);
  const newest = newestOf(newer);
  if (newest)
    return refuse(
      'MembersAreNewer',
      `It would remove ${newer.length} members of ${textOf(newest)}, which older API servers and etcd may not be able to replace`,
      `To go forward, run: ${setVersion(facts, controlPlane, newest)}; under capstan.dev/upgrade-rollback: Guarded on the Cluster, an upgrade to it that is cancelled goes back if every guard holds; or restore a snapshot`,
    );
  if (target.major !== current.major || target.minor > current.minor + 1)
    return refuse(
      'MinorSkipped',
      `${runs}; etcd and the API server move by one minor version at a time`,
      `Upgrade to a version of v${current.major}.${current.minor + 1} first`,
    );
  return [];
};

/** Machines outside of the control plane that no MachineDeployment replaces. */
const isStandalone = ({ metadata: { labels: of = {} } }: Machine): boolean =>
  of[labels.controlPlane] === undefined && of[labels.deployment] === undefined;

const isMinorAbove = (one: KubernetesVersion, other: KubernetesVersion): boolean =>
  one.major > other.major || (one.major === other.major && one.minor > other.minor);

/** It keeps its Machines, whatever its spec says. */
const isRolledBack = ({ cluster }: UpgradeFacts, deployment: KubeObject): boolean =>
  objectTarget(cluster, deployment)?.target === 'RollBack';

/** No version of workers makes a lower target of the control plane possible, so only the target is refused. */
export const checkWorkersAhead: Check = (facts) =>
  facts.machineDeployments.flatMap((deployment): Finding[] => {
    const { target, current } = facts;
    if (current && compareVersions(target, current) < 0) return [];
    const version = versionOf(deployment.spec?.template.spec);
    if (!version || version.major !== target.major || version.minor <= target.minor) return [];
    if (isRolledBack(facts, deployment)) return [];
    return [
      {
        code: 'WorkersAhead',
        level: 'Refuse',
        object: nameOf(deployment),
        message: `Its spec asks for ${textOf(version)}, and that of the control plane for ${textOf(target)}: kubelets must not be newer`,
        remedy: 'Set the version of the control plane first',
      },
    ];
  });

/**
 * Workers of a minor version that the control plane's spec has, too, but that it does not get together with
 * them, for example after a rollback.
 */
export const checkWorkersTooNew: Check = (facts) => {
  const { target, current, cluster, machineDeployments } = facts;
  if (!current || replacesControlPlane(facts)) return [];
  return machineDeployments.flatMap((deployment): Finding[] => {
    const wanted = versionOf(deployment.spec?.template.spec);
    if (!wanted || !isMinorAbove(wanted, current) || isMinorAbove(wanted, target)) return [];
    if (!replacesWorkersOf(facts, deployment)) return [];
    return [
      {
        code: 'WorkersTooNew',
        level: 'Refuse',
        object: nameOf(deployment),
        message: `Its spec asks for ${textOf(wanted)}, and the control plane runs ${textOf(current)}: kubelets must not be newer`,
        remedy: `Upgrade the control plane first; if that was rolled back, run: capstan retry cluster ${cluster.metadata.name} -n ${cluster.metadata.namespace ?? ''}`,
      },
    ];
  });
};

export const checkWorkerSkew: Check = ({ target, machineDeployments, machines }) => {
  const refuse = (object: KubeObject, spec: unknown, subject: string): Finding[] => {
    const version = versionOf(spec);
    if (!version || version.minor >= target.minor - kubeletSkew) return [];
    return [
      {
        code: 'WorkersTooOld',
        level: 'Refuse',
        object: nameOf(object),
        message: `${subject} ${textOf(version)}: kubelets may be ${kubeletSkew} minor versions older than the API server`,
        remedy: `Upgrade it to at least v${target.major}.${target.minor - kubeletSkew} first`,
      },
    ];
  };
  return [
    ...machineDeployments.flatMap((one) => refuse(one, one.spec?.template.spec, 'Its Machines run')),
    ...machines.filter(isStandalone).flatMap((one) => refuse(one, one.spec, 'It runs')),
  ];
};
