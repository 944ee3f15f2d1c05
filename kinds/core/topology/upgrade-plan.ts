/** The versions that an upgrade goes through: by those that a class lists, or by an extension. Pure. */
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/api/object.ts';
import {
  compareVersions,
  type KubernetesVersion,
  lowestVersion,
  parseVersion,
} from '../../common/kubernetes-version.ts';
import type { State } from './state.ts';
import type { Topology } from './variables.ts';

/** The versions that remain, in order. */
export interface UpgradePlan {
  controlPlane: string[];
  workers: string[];
}

const parsed = (text: string): KubernetesVersion =>
  parseVersion(text) ?? { major: 0, minor: 0, patch: 0, prerelease: '' };
export const isNewer = (text: string, than: string): boolean => compareVersions(parsed(text), parsed(than)) > 0;

/** The newest listed version of each minor after `from`, and `to`. */
const controlPlaneSteps = (from: string, to: string, listed: readonly string[]): string[] => {
  if (!isNewer(to, from)) return from === to ? [] : [to];
  const target = parsed(to);
  const steps = new Map<number, string>();
  for (const version of listed) {
    const { minor } = parsed(version);
    const isBetween = minor > parsed(from).minor && minor < target.minor;
    const before = steps.get(minor);
    if (isBetween && (before === undefined || isNewer(version, before))) steps.set(minor, version);
  }
  const minors = [...steps.keys()].toSorted((a, b) => a - b);
  return [...minors.map((minor) => steps.get(minor)!), to];
};

/** Kubelets may be this many minor versions older than the control plane. */
const largestSkew = 3;
/** The versions that workers take one after the other: as few as the skew allows. */
const workerSteps = (from: string, to: string, available: readonly string[]): string[] => {
  if (from === to) return [];
  const [first, last] = [parsed(from).minor, parsed(to).minor];
  const between = Array.from({ length: Math.max(0, last - first - 1) }, (_, i) => i + 1)
    .filter((i) => i % largestSkew === 0)
    .flatMap((i) => available.findLast((version) => parsed(version).minor === first + i) ?? []);
  return [...between, to];
};

/** Between which versions an upgrade goes. */
export interface Span {
  /** Undefined before there is a control plane. */
  controlPlane: string | undefined;
  /** The lowest version of workers; undefined without workers. */
  workers: string | undefined;
  to: string;
}

export const spanOf = (topology: Topology, state: State): Span => {
  const { machineDeployments = [], machinePools = [] } = topology.workers ?? {};
  const workers = lowestVersion([
    ...machineDeployments.flatMap(({ name }) => state.deployments.get(name)?.version ?? []),
    ...machinePools.flatMap(({ name }) => state.pools.get(name)?.version ?? []),
  ]);
  return { controlPlane: state.controlPlane?.version, workers, to: topology.version };
};

/** Whether something of the cluster has another version; before there is a control plane, nothing has. */
export const isUpgrade = ({ controlPlane, workers = controlPlane, to }: Span): boolean =>
  controlPlane !== undefined && (controlPlane !== to || workers !== to);

/** By the versions that a class lists. */
export const upgradePlanOf = (
  { controlPlane: current, workers: lowest, to }: Span,
  listed: readonly string[] = [],
): UpgradePlan => {
  const controlPlane = current === undefined ? [] : controlPlaneSteps(current, to, listed);
  const available = [...(current === undefined ? [] : [current]), ...controlPlane];
  return { controlPlane, workers: lowest === undefined ? [] : workerSteps(lowest, to, available) };
};

/** The versions of one list of an answer; undefined if it is no such list. */
const versionsIn = (steps: JsonValue | undefined): string[] | undefined => {
  if (steps === undefined || steps === null) return [];
  if (!Array.isArray(steps)) return undefined;
  const versions = steps.map((step) => (isObject(step) ? step.version : undefined));
  return versions.every((version) => typeof version === 'string') ? versions : undefined;
};

/** Versions that differ in their build alone have no order, so that of the plan holds. */
const isAfter = (text: string, before: string): boolean =>
  isNewer(text, before) || (text !== before && !isNewer(before, text));

/** Why versions cannot be taken one after the other, in Cluster API's words. */
const orderFault = (what: string, steps: readonly string[], from: string, to: string, skew: number) => {
  let current = from;
  for (const [i, version] of steps.entries()) {
    const begins = `invalid ${what} upgrade plan: item ${i}`;
    if (!parseVersion(version)) return `${begins}; failed to parse version ${version}`;
    if (!isAfter(version, current)) return `${begins}; version ${version} must be greater than ${current}`;
    const [before, after] = [parsed(current).minor, parsed(version).minor];
    if (after - before > skew)
      return skew === 1
        ? `${begins}; expecting a version with minor ${before} or ${before + 1}, found version ${version}`
        : `${begins}; workers cannot go from minor ${before} (${current}) to minor ${after} (${version}), an intermediate step is required to comply with Kubernetes version skew rules`;
    current = version;
  }
  return current === to
    ? undefined
    : `invalid ${what} upgrade plan: must end with version ${to}, ends with ${current} instead`;
};

/** The plan of an extension, whose workers take as few steps as they may unless it names theirs. */
export const plannedByExtension = (
  { controlPlane: current = '', workers: lowest, to }: Span,
  { controlPlaneUpgrades, workersUpgrades }: JsonObject,
): UpgradePlan | { fault: string } => {
  const [controlPlane, given] = [versionsIn(controlPlaneUpgrades), versionsIn(workersUpgrades)];
  if (!controlPlane || !given) return { fault: 'controlPlaneUpgrades and workersUpgrades must list versions' };
  const fault = orderFault('ControlPlane', controlPlane, current, to, 1);
  if (fault !== undefined) return { fault };
  if (lowest === undefined || lowest === to)
    return given.length === 0
      ? { controlPlane, workers: [] }
      : { fault: 'invalid workers upgrade plan: there are no workers or workers already at the desired version' };
  const available = [current, ...controlPlane];
  const unknown = given.filter((version) => controlPlane.length > 0 && !available.includes(version));
  if (unknown.length > 0)
    return {
      fault: `invalid workers upgrade plan: versions ${unknown.join(',')} doesn't match any versions in the control plane upgrade plan nor the control plane version`,
    };
  const workers = given.length > 0 ? given : workerSteps(lowest, to, available);
  const wrong = orderFault('workers', workers, lowest, to, largestSkew);
  return wrong === undefined ? { controlPlane, workers } : { fault: wrong };
};
