/** Whether the state of the control plane allows adding Machines. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { compareVersions, type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { annotations } from '../../common/labels.ts';
import { normalVersion, skippedPreflights } from '../../common/validate.ts';
import { runningVersionsOf } from '../contract/cluster.ts';
import { versionsCompared } from '../contract/creatable.ts';
import type { MachineSet } from './schema.ts';

type Check = 'ControlPlaneIsStable' | 'KubernetesVersionSkew' | 'KubeadmVersionSkew';

interface ControlPlane extends KubeObject {
  spec?: { version?: string };
}
const parsed = (version: string): KubernetesVersion | undefined => parseVersion(normalVersion(version));
const oldestKubelet = 3;

const stability = (controlPlane: ControlPlane, version: KubernetesVersion): string | undefined => {
  const { kind, metadata } = controlPlane;
  const name = `${kind} ${metadata.namespace}/${metadata.name}`;
  const running = runningVersionsOf(controlPlane);
  if (running.length === 0) return `${name} is provisioning`;
  const isBehind = running.some((text) => {
    const one = parsed(text);
    return one !== undefined && compareVersions(one, version) < 0;
  });
  return isBehind ? `${name} is upgrading` : undefined;
};

const failed = (why: string, check: Check): string => `${why} ("${check}" preflight check failed)`;

interface Fault {
  check: Check;
  why: string;
}

const faultsOf = (
  machineSet: MachineSet,
  controlPlane: KubeObject | undefined,
  bootstrapTemplate: KubeObject | undefined,
): Fault[] => {
  const skipped = machineSet.metadata.annotations?.[annotations.skipPreflight]
    ? skippedPreflights(machineSet)
    : bootstrapTemplate
      ? skippedPreflights(bootstrapTemplate)
      : [];
  const plane = controlPlane as ControlPlane | undefined;
  const planeVersion = plane?.spec?.version;
  const version = planeVersion === undefined ? undefined : parsed(planeVersion);
  if (!plane || !planeVersion || !version || skipped.includes('All')) return [];

  const faults: { check: Check; why: string | undefined }[] = [
    { check: 'ControlPlaneIsStable', why: stability(plane, version) },
    ...skew(machineSet, planeVersion, version),
  ];
  return faults.flatMap(({ check, why }) => (why && !skipped.includes(check) ? [{ check, why }] : []));
};

/** Why no Machine may be added now; empty if nothing blocks it. */
export const preflight = (...facts: Parameters<typeof faultsOf>): string[] =>
  faultsOf(...facts).map(({ check, why }) => failed(why, check));

/** While the set and the control plane keep their versions, no Machine can be added. */
export const lastingFault = (...facts: Parameters<typeof faultsOf>): Fault | undefined => {
  const faults = faultsOf(...facts);
  return faults.some(({ check }) => check === 'ControlPlaneIsStable') ? undefined : faults[0];
};

const skew = ({ spec }: MachineSet, planeVersion: string, plane: KubernetesVersion) => {
  const { version, bootstrap } = spec?.template.spec ?? {};
  const mine = version === undefined ? undefined : parsed(version);
  if (version === undefined || !mine) return [];
  const versions = versionsCompared(version, planeVersion);
  const policy = `${versions} do not conform to the kubernetes version skew policy as MachineSet version is`;
  const tooNew = mine.minor > plane.minor ? `${policy} higher than ControlPlane version` : undefined;
  const tooOld =
    mine.minor < plane.minor - oldestKubelet
      ? `${policy} more than ${oldestKubelet} minor versions older than the ControlPlane version`
      : undefined;
  const kubeadm =
    bootstrap?.configRef?.kind === 'KubeadmConfigTemplate' && mine.minor !== plane.minor
      ? `${versions} do not conform to kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane`
      : undefined;
  return [
    { check: 'KubernetesVersionSkew' as const, why: tooNew ?? tooOld },
    { check: 'KubeadmVersionSkew' as const, why: kubeadm },
  ];
};
