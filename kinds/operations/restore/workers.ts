/**
 * Workers that the restored API server can neither serve nor create again, because they are of another
 * minor version. Their MachineDeployments replace them if their specs ask for its version. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { compareVersions, isSameMinor, parseVersion } from '../../common/kubernetes-version.ts';
import { controllerOf } from '../../common/owners.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { type ObjectTargets, objectTargets } from '../../core/contract/object-targets.ts';
import { causeOfMachines, isControlPlaneMachine, withCause } from '../shared/cause.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import { isComplete, type Rollout, remainingIn, servingIn, wantedVersionOf } from '../shared/rollouts.ts';

/** What the restore brings back. */
export interface Restored {
  /** Of the control plane. */
  version: string;
  /** When the snapshot was complete: it has no Nodes of later Machines. */
  completedAt: string | undefined;
}

export const restoredBy = (
  controlPlane: KubeObject | undefined,
  snapshot: { completedAt?: string } | undefined,
): Restored | undefined => {
  const { version } = (controlPlane?.spec ?? {}) as { version?: string };
  return version === undefined ? undefined : { version, completedAt: snapshot?.completedAt };
};

const versionIn = ({ spec }: KubeObject): string => (spec as { version?: string } | undefined)?.version ?? '';

export const fits = (text: string | undefined, { version }: Restored): boolean => {
  const [one, other] = [parseVersion(text ?? ''), parseVersion(version)];
  return !one || !other || isSameMinor(one, other);
};

/** Of a newer minor version, or of an older one without a Node in the snapshot. */
const isDisplaced = (machine: KubeObject, restored: Restored): boolean => {
  const [runs, served] = [parseVersion(versionIn(machine)), parseVersion(restored.version)];
  if (!runs || !served || isSameMinor(runs, served) || isDeleting(machine)) return false;
  const isNewer = compareVersions(runs, served) > 0;
  const created = Date.parse(machine.metadata.creationTimestamp ?? '');
  return isNewer || created > Date.parse(restored.completedAt ?? '');
};

export type Workers = Pick<ClusterState, 'machines' | 'machineSets' | 'rollouts' | 'cluster'>;

export const poolsIn = ({ rollouts }: Workers): Rollout[] => rollouts.filter(({ isControlPlane }) => !isControlPlane);
const displacedIn = (pool: Rollout, restored: Restored): KubeObject[] =>
  [...pool.updated, ...pool.outdated].filter((machine) => isDisplaced(machine, restored));

/** It creates Machines of its previous template, which fits. */
export const goesBack = ({ cluster }: Workers, { key, revision, outdated }: Rollout, restored: Restored): boolean => {
  const target = objectTargets(cluster)[key];
  const isRolledBack = target?.target === 'RollBack' && target.revision === revision;
  return isRolledBack && outdated.some((machine) => fits(versionIn(machine), restored));
};

export const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

const because = (machines: readonly KubeObject[], { version }: Restored): string =>
  `Machine ${machines[0]?.metadata.name} runs ${versionIn(machines[0]!)}, which cannot join a control plane of ${version}`;

const onDelete = ({ object }: Rollout): boolean =>
  (object.spec as { rollout?: { strategy?: { type?: string } } }).rollout?.strategy?.type === 'OnDelete';

const obstacleInPool = (workers: Workers, pool: Rollout, restored: Restored): string | undefined => {
  const displaced = displacedIn(pool, restored);
  if (displaced.length === 0 || goesBack(workers, pool, restored)) return undefined;
  const name = nameOf(pool.object);
  if (!fits(wantedVersionOf(pool), restored))
    return `${because(displaced, restored)}, and ${name} would create another one of ${wantedVersionOf(pool)}: set its spec.template.spec.version to ${restored.version} first`;
  return pool.takesPart || onDelete(pool)
    ? undefined
    : `${because(displaced, restored)}, and ${name} is paused: resume it first`;
};

const obstacleOutside = ({ machines, machineSets, rollouts }: Workers, restored: Restored): string | undefined => {
  const inPools = new Set(rollouts.flatMap(({ updated, outdated }) => [...updated, ...outdated]));
  const [one] = machines.filter(
    (machine) => !isControlPlaneMachine(machine) && !inPools.has(machine) && isDisplaced(machine, restored),
  );
  if (!one) return undefined;
  const set = machineSets.find(({ metadata }) => metadata.uid === controllerOf(one)?.uid);
  const { template } = (set?.spec ?? {}) as { template?: { spec?: { version?: string } } };
  if (!set) return `${because([one], restored)}: delete it first`;
  return fits(template?.spec?.version, restored)
    ? undefined
    : `${because([one], restored)}, and ${nameOf(set)} would create another one: set its spec.template.spec.version to ${restored.version} first`;
};

/** Why workers would be lost without a replacement; undefined if none would. */
export const obstacleInWorkers = (workers: Workers, restored: Restored): string | undefined =>
  poolsIn(workers)
    .map((pool) => obstacleInPool(workers, pool, restored))
    .find((obstacle) => obstacle !== undefined) ?? obstacleOutside(workers, restored);

/** As this module writes it, and as no upgrade that has ended leaves it. */
const isFollowing = ({ cluster }: Workers, { key, revision }: Rollout): boolean => {
  const target = objectTargets(cluster)[key];
  return target?.target === 'Build' && target.revision === revision && target.most === undefined && !target.held;
};

/** Pools that replace their displaced Machines, as the restore admits. */
export const followersIn = (workers: Workers, restored: Restored): Rollout[] =>
  poolsIn(workers).filter((pool) => {
    if (!pool.takesPart || isComplete(pool) || !fits(wantedVersionOf(pool), restored)) return false;
    if (isFollowing(workers, pool)) return true;
    return pool.isOutdated && displacedIn(pool, restored).length > 0 && !goesBack(workers, pool, restored);
  });

/** The targets of the pools: an admission ends with its rollout. */
export const followerTargets = (workers: Workers, restored: Restored | undefined): ObjectTargets => {
  const followers = restored ? followersIn(workers, restored) : [];
  const ended = poolsIn(workers).filter((pool) => !followers.includes(pool) && isFollowing(workers, pool));
  const keys = new Set(ended.map(({ key }) => key));
  const kept = Object.entries(objectTargets(workers.cluster) as ObjectTargets).filter(([key]) => !keys.has(key));
  const admitted = followers.map(({ key, revision }) => [key, { target: 'Build' as const, revision }] as const);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(admitted) };
};

/** What the pools wait for; undefined if every displaced Machine is replaced. */
export const awaitedFollower = (clusterState: ClusterState, restored: Restored): string | undefined => {
  const [pool] = followersIn(clusterState, restored);
  if (!pool) return undefined;
  const { updated, outdated, desired, object } = pool;
  const cause = causeOfMachines([...updated, ...outdated], clusterState);
  const progress = `${servingIn(pool).length} of ${desired} Machines of ${nameOf(object)} are ${wantedVersionOf(pool)} and available`;
  return withCause(`waiting for workers to follow to the restored version: ${progress}`, cause);
};

export const followersLeft = (workers: Workers, restored: Restored | undefined): number =>
  restored ? followersIn(workers, restored).reduce((sum, pool) => sum + remainingIn(pool), 0) : 0;
