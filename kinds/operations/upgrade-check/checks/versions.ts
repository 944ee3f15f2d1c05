/** Whether the versions permit the upgrade. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { compareVersions, type KubernetesVersion, parseVersion } from '../../../common/kubernetes-version.ts';
import { labels } from '../../../common/labels.ts';
import type { Machine } from '../../../core/machine/index.ts';
import { type Check, type Finding, nameOf } from './facts.ts';

/** Minors by which a kubelet may be older than the API server. */
const kubeletSkew = 3;
export const textOf = ({ major, minor, patch, prerelease }: KubernetesVersion): string =>
  `v${major}.${minor}.${patch}${prerelease ? `-${prerelease}` : ''}`;

export const versionOf = (spec: unknown): KubernetesVersion | undefined =>
  parseVersion((spec as { version?: string } | undefined)?.version ?? '');

export const checkTarget: Check = ({ target, current, controlPlane }) => {
  if (!controlPlane || !current) return [];
  const refuse = (code: string, message: string, remedy: string): Finding[] => [
    { code, level: 'Refuse', object: nameOf(controlPlane), message, remedy },
  ];
  const runs = `The control plane runs ${textOf(current)}`;
  if (compareVersions(target, current) < 0)
    return refuse('VersionIsLower', runs, `Choose a version above ${textOf(current)}`);
  if (target.major !== current.major || target.minor > current.minor + 1)
    return refuse(
      'MinorSkipped',
      `${runs}; etcd and the API server move by one minor version at a time`,
      `Upgrade to a version of v${current.major}.${current.minor + 1} first`,
    );
  return [];
};

/** Machines outside of the control plane that no MachineDeployment replaces. */
const isAlone = ({ metadata: { labels: of = {} } }: Machine): boolean =>
  of[labels.controlPlane] === undefined && of[labels.deployment] === undefined;

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
    ...machines.filter(isAlone).flatMap((one) => refuse(one, one.spec, 'It runs')),
  ];
};
