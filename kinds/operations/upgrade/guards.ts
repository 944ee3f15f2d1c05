/**
 * Whether a control plane that already has members of the new version can go back to the old one
 * without a restore: each guard is a fact without which the old API server could lose data. Pure.
 */
import { type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import type { Finding } from '../upgrade-check/checks/facts.ts';
import { checkUnserved } from '../upgrade-check/checks/unserved.ts';
import { textOf } from '../upgrade-check/checks/versions.ts';

export interface GuardFacts {
  /** Kind and name of the control plane. */
  controlPlane: string;
  from: KubernetesVersion | undefined;
  to: KubernetesVersion | undefined;
  /** Milliseconds since the epoch: when the first Machine of the new version was created. */
  began: number;
  now: number;
  /** Whether the controller of the control plane keeps to the targets of operations. */
  followsTargets: boolean;
  /** Whether this operation has admitted the control plane's new Machines. */
  isOwn: boolean;
  /** Machines of the old revision that stay: the next ones are created like them. */
  oldMachines: number;
  /** Versions such as 3.6.6; undefined if unknown. Absent if Capstan does not manage etcd. */
  etcd?: { before: string | undefined; after: string | undefined };
  /** Every Machine and Node outside of the control plane. `version`: of its kubelet. */
  workers: readonly { object: string; version: string | undefined }[];
  /** What was found inside the cluster; undefined while that is not known. */
  inCluster: readonly Finding[] | undefined;
}

type Guard = (facts: GuardFacts) => Finding[];

const day = 24 * 60 * 60 * 1000;
/** Days after which the workload counts as settled on the new version. */
const mostDays = 7;

const refusal = (code: string, object: string, message: string, remedy: string): Finding => ({
  code,
  level: 'Refuse',
  object,
  message,
  remedy,
});

const restore = 'Go forward, or restore a snapshot';

const checkMinor: Guard = ({ controlPlane, from, to, oldMachines }) => {
  if (oldMachines === 0) return [];
  if (!from || !to)
    return [refusal('RollbackVersionUnknown', controlPlane, 'Its old or its new version is unknown', restore)];
  const isNear = from.major === to.major && Math.abs(to.minor - from.minor) <= 1;
  return isNear
    ? []
    : [
        refusal(
          'RollbackSkipsMinor',
          controlPlane,
          `It changes from ${textOf(from)} to ${textOf(to)}: API servers may differ by one minor version`,
          restore,
        ),
      ];
};

const checkProvider: Guard = ({ controlPlane, followsTargets }) =>
  followsTargets
    ? []
    : [
        refusal(
          'RollbackByProvider',
          controlPlane,
          'Only its own provider could take its Machines back',
          'Remove the cause of the failure and retry',
        ),
      ];

const checkAge: Guard = ({ controlPlane, began, now }) => {
  if (now - began <= mostDays * day) return [];
  const message = `Its first Machine of the new version was created ${Math.floor((now - began) / day)} days ago: more than ${mostDays}`;
  return [refusal('RollbackTooLate', controlPlane, message, restore)];
};

const checkOwner: Guard = ({ controlPlane, isOwn }) =>
  isOwn
    ? []
    : [
        refusal(
          'RollbackOfAnother',
          controlPlane,
          'An operation before this one admitted its new Machines',
          'Remove the cause of the failure and retry',
        ),
      ];

const checkOldMachines: Guard = ({ controlPlane, oldMachines }) =>
  oldMachines > 0
    ? []
    : [refusal('NoOldMachine', controlPlane, 'No Machine of the old version is left to create others from', restore)];

const minorOf = (version: string | undefined): string | undefined => /^v?(\d+\.\d+)\./.exec(version ?? '')?.[1];

const checkEtcd: Guard = ({ controlPlane, etcd }) => {
  if (!etcd) return [];
  const [before, after] = [minorOf(etcd.before), minorOf(etcd.after)];
  if (before === undefined || after === undefined)
    return [
      refusal(
        'RollbackEtcdUnknown',
        controlPlane,
        'The version of etcd before or after the upgrade is unknown',
        `${restore}; before the next upgrade, set etcd.local.imageTag`,
      ),
    ];
  return before === after
    ? []
    : [
        refusal(
          'RollbackChangesEtcd',
          controlPlane,
          `Its etcd changes from ${etcd.before} to ${etcd.after}: an older minor version does not read its data`,
          `${restore}; next time, upgrade etcd by etcd.local.imageTag in an operation of its own`,
        ),
      ];
};

/** Kubelets follow the API server's skew policy, which is about minor versions. */
const checkWorkers: Guard = ({ from, workers }) => {
  if (!from) return [];
  return workers.flatMap(({ object, version }) => {
    const kubelet = parseVersion(version ?? '');
    if (!kubelet)
      return [refusal('RollbackKubeletUnknown', object, 'The version of its kubelet is unknown', 'Delete it')];
    if (kubelet.major < from.major || (kubelet.major === from.major && kubelet.minor <= from.minor)) return [];
    const message = `Its kubelet is ${textOf(kubelet)}, newer than the API server ${textOf(from)} would be`;
    return [refusal('RollbackKubeletTooNew', object, message, `Replace it by one of v${from.major}.${from.minor}`)];
  });
};

const checkStored: Guard = ({ controlPlane, inCluster }) => [
  ...(inCluster ?? checkUnserved(controlPlane, { unreadable: 'the cluster was not looked into' })),
];

/**
 * Feature gates and flags need no guard: Machines of the old version get the kubeadm configuration
 * of an old Machine. Neither do kube-proxy and CoreDNS: they follow once no old Machine is left.
 */
const guards: readonly Guard[] = [
  checkProvider,
  checkMinor,
  checkAge,
  checkOwner,
  checkOldMachines,
  checkEtcd,
  checkWorkers,
  checkStored,
];

/** Every guard that does not hold; empty if the control plane can be rolled back. */
export const guardFailures = (facts: GuardFacts): Finding[] => guards.flatMap((guard) => guard(facts));

/** Without the guard that looks into the cluster. */
export const guardFailuresOutside = (facts: GuardFacts): Finding[] => guardFailures({ ...facts, inCluster: [] });
