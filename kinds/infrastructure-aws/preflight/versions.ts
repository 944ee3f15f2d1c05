/**
 * Checks that the Kubernetes versions are compatible, and that Capstan supports the version's
 * kubeadm API.
 */
import { found } from '../../../machinery/api/reconcile.ts';
import { kubeadmApiOf } from '../../bootstrap-kubeadm/kubeadm-config/kubeadm-documents.ts';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { normalVersion } from '../../common/validate.ts';
import { lastReleaseBefore } from '../../components/releases.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

export const judgeVersions = ({ machines, controlPlane }: PreflightFacts): Finding[] => {
  const plane = controlPlane && found(controlPlane);
  return machines.flatMap((planned) => {
    const support = judgeSupport(planned);
    if (support.length > 0 || planned.controlPlane || !plane?.spec) return support;
    return judgeSkew(planned, nameOf(plane), plane.spec.version);
  });
};

const judgeSupport = ({ by, versionField, version, kubeadm }: PlannedMachines): Finding[] => {
  if (version === undefined) return [];
  if (!parseVersion(normalVersion(version)))
    return [refused(`${by} ${versionField}: ${version} is no version: write it like v1.35.0`)];
  const last = lastReleaseBefore(normalVersion(version));
  if (last !== undefined)
    return [refused(`${by} ${versionField}: ${version} was never released: choose ${last}, the last of its minor`)];
  return kubeadm && !kubeadmApiOf(normalVersion(version))
    ? [refused(`${by} ${versionField}: kubeadm of ${version} is not supported: choose v1.22.0 or later`)]
    : [];
};

const oldestKubelet = 3;
/** The same check with the same exceptions as a MachineSet's before it creates a Machine. */
const judgeSkew = (
  { by, versionField, version, kubeadm, skips }: PlannedMachines,
  plane: string,
  planeVersion: string,
) => {
  const own = version === undefined ? undefined : parseVersion(normalVersion(version));
  const theirs = parseVersion(normalVersion(planeVersion));
  if (!own || !theirs || skips.includes('All')) return [];
  const than = `${planeVersion} of ${plane}`;
  const minor = (number: number) => `v${theirs.major}.${number}`;
  if (!skips.includes('KubernetesVersionSkew')) {
    if (own.major > theirs.major || (own.major === theirs.major && own.minor > theirs.minor))
      return [
        refused(`${by} ${versionField}: ${version} is newer than ${than}: choose ${minor(theirs.minor)} or older`),
      ];
    if (own.major < theirs.major || own.minor < theirs.minor - oldestKubelet)
      return [
        refused(
          `${by} ${versionField}: ${version} is more than ${oldestKubelet} minor versions older than ${than}: choose ${minor(Math.max(theirs.minor - oldestKubelet, 0))} or later`,
        ),
      ];
  }
  return kubeadm && own.minor !== theirs.minor && !skips.includes('KubeadmVersionSkew')
    ? [
        refused(
          `${by} ${versionField}: kubeadm joins only a control plane of its own minor version, and ${version} is not of that of ${than}: choose ${minor(theirs.minor)}`,
        ),
      ]
    : [];
};
