/** How far the Machines of a cluster's control plane and MachineDeployments follow their specs. Pure. */

import { conditionOf, isTrue } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { compareVersions, lowestVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { isControlledBy } from '../../common/owners.ts';
import { rolloutTime } from '../../common/rollout-time.ts';
import { countsOf, runningVersionsOf } from '../../core/contract/cluster.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import { findCurrent, rolloutRevision } from '../../core/contract/deployment.ts';
import { pausedAnnotation } from '../../core/contract/hold.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { targetKey } from '../../core/contract/object-targets.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import type { MachineSet } from '../../core/machine-set/index.ts';

export interface Rollout {
  object: KubeObject;
  /** As in the annotation of object targets. */
  key: string;
  isControlPlane: boolean;
  /** Its controller keeps to the targets of operations; others move as soon as their spec changes. */
  followsTargets: boolean;
  /** The revision of its spec. */
  revision: string;
  /** False while it is paused, being deleted, or leaves the replacement of Machines to the user. */
  takesPart: boolean;
  /** False while statuses lag behind the spec. */
  isObserved: boolean;
  /** Its spec asks for other Machines than it has. */
  isOutdated: boolean;
  /** When time alone makes its Machines outdated, in milliseconds since the epoch. */
  ages: number | undefined;
  desired: number;
  /** Machines of this revision of the spec. */
  updated: KubeObject[];
  /** Machines of other revisions, also those in deletion. */
  outdated: KubeObject[];
}

export interface RolloutFacts {
  controlPlane: KubeObject | undefined;
  machineDeployments: readonly KubeObject[];
  machineSets: readonly KubeObject[];
  machines: readonly KubeObject[];
  controlPlanes: readonly ControlPlaneProvider[];
  /** Milliseconds since the epoch. */
  now: number;
}

const conditionsIn = ({ status }: KubeObject): Condition[] =>
  (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
export const upToDateOf = (machine: KubeObject): Condition | undefined =>
  conditionOf(conditionsIn(machine), 'UpToDate');

const versionIn = (spec: unknown): string | undefined => (spec as { version?: string } | undefined)?.version;

/** A Machine that runs another version than its spec: its image is wrong, and no rollout replaces it. */
const isWronglyMade = (machine: KubeObject): boolean => upToDateOf(machine)?.reason === 'Updating';

const isPaused = ({ metadata, spec }: KubeObject): boolean =>
  metadata.annotations?.[pausedAnnotation] !== undefined || (spec as { paused?: boolean } | undefined)?.paused === true;

/** Its hosts are no Machines: only its own report tells whether it runs what its spec asks for. */
const isBehind = (controlPlane: KubeObject): boolean => {
  const wanted = parseVersion(versionIn(controlPlane.spec) ?? '');
  const running = runningVersionsOf(controlPlane).flatMap((version) => parseVersion(version) ?? []);
  return wanted !== undefined && running.some((version) => compareVersions(version, wanted) < 0);
};

const ofControlPlane = (controlPlane: KubeObject, facts: RolloutFacts): Rollout => {
  const queries = controlPlaneQueries(controlPlane, facts.controlPlanes);
  const machines = facts.machines.filter((machine) => isControlledBy(machine, controlPlane));
  const matching = machines.filter((machine) => upToDateOf(machine)?.status === 'True');
  const outdated = machines.filter((machine) => upToDateOf(machine)?.status === 'False' && !isWronglyMade(machine));
  const { observedGeneration } = (controlPlane.status ?? {}) as { observedGeneration?: number };
  const { desiredReplicas, upToDateReplicas } = countsOf(controlPlane);
  const { followsTargets } = queries;
  const hasNoMachines = !followsTargets && machines.length === 0;
  return {
    object: controlPlane,
    key: targetKey(controlPlane),
    isControlPlane: true,
    followsTargets,
    revision: queries.rolloutRevision(controlPlane),
    takesPart: !isPaused(controlPlane) && !isDeleting(controlPlane),
    // Machines report later than their control plane that its spec has changed.
    isObserved:
      (observedGeneration ?? controlPlane.metadata.generation) === controlPlane.metadata.generation &&
      (!followsTargets || upToDateReplicas === matching.length),
    isOutdated: hasNoMachines ? isBehind(controlPlane) : outdated.some((machine) => !isDeleting(machine)),
    // The Machine controller notices it, and its condition wakes the owner.
    ages: undefined,
    desired: hasNoMachines ? 0 : desiredReplicas,
    updated: [...matching, ...machines.filter(isWronglyMade)],
    outdated,
  };
};

const ofDeployment = (deployment: MachineDeployment, facts: RolloutFacts): Rollout => {
  const sets = (facts.machineSets as MachineSet[]).filter((set) => isControlledBy(set, deployment));
  const { current } = findCurrent(deployment, sets, facts.now);
  const { after } = deployment.spec?.rollout ?? {};
  const machines = facts.machines.filter((machine) => sets.some((set) => isControlledBy(machine, set)));
  const isUpdated = (machine: KubeObject) => current !== undefined && isControlledBy(machine, current);
  const outdated = machines.filter((machine) => !isUpdated(machine));
  return {
    object: deployment,
    key: targetKey(deployment),
    isControlPlane: false,
    followsTargets: true,
    revision: rolloutRevision(deployment),
    takesPart:
      !isPaused(deployment) && !isDeleting(deployment) && deployment.spec?.rollout?.strategy?.type !== 'OnDelete',
    isObserved: true,
    // A MachineDeployment without any set has nothing to replace.
    isOutdated: sets.length > 0 && (!current || outdated.some((machine) => !isDeleting(machine))),
    ages: after === undefined ? undefined : rolloutTime(after),
    desired: countsOf(deployment).desiredReplicas,
    updated: machines.filter(isUpdated),
    outdated,
  };
};

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** The control plane comes first, then the MachineDeployments by name. */
export const rolloutsOf = (facts: RolloutFacts): Rollout[] => {
  const controlPlane = facts.controlPlane && ofControlPlane(facts.controlPlane, facts);
  const deployments = (facts.machineDeployments as MachineDeployment[]).filter(({ spec }) => spec).toSorted(byName);
  return [...(controlPlane ? [controlPlane] : []), ...deployments.map((one) => ofDeployment(one, facts))];
};

/** Machines of this revision that serve. */
export const servingIn = ({ updated }: Rollout): KubeObject[] =>
  updated.filter(
    (machine) =>
      !isDeleting(machine) && isTrue(conditionsIn(machine), 'Available') && upToDateOf(machine)?.status === 'True',
  );

/** Machines that are still to be created, or to be removed. */
export const remainingIn = (rollout: Rollout): number =>
  rollout.outdated.length + Math.max(0, rollout.desired - servingIn(rollout).length);

export const isComplete = (rollout: Rollout): boolean =>
  rollout.isObserved && !rollout.isOutdated && remainingIn(rollout) === 0;

/** The version that the spec asks for. */
export const wantedVersionOf = ({ object, isControlPlane }: Rollout): string | undefined => {
  const { template } = (object.spec ?? {}) as { template?: { spec?: unknown } };
  return versionIn(isControlPlane ? object.spec : template?.spec);
};

/** The lowest version that its Machines have, or that it reports without Machines. */
export const runningVersionOf = ({ object, isControlPlane, updated, outdated }: Rollout): string | undefined => {
  const machines = [...outdated, ...updated];
  const reported = isControlPlane && machines.length === 0 ? runningVersionsOf(object) : [];
  return lowestVersion([...machines.flatMap(({ spec }) => versionIn(spec) ?? []), ...reported]);
};
