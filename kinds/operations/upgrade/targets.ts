/**
 * Which rollouts the operation admits: it follows from its recorded steps, so that a crash in
 * between loses nothing. Pure.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { patchAsObserved } from '../../common/owners.ts';
import { type ObjectTarget, type ObjectTargets, objectTargets } from '../../core/contract/object-targets.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { stepOf } from '../shared/progress.ts';
import { isComplete, type Rollout, servingIn } from '../shared/rollouts.ts';
import { isNamed, type OperationScope } from '../shared/scope.ts';
import { controlPlaneOf, isSuperseded, upgrading, workersOf } from './objects.ts';
import type { UpgradeStep } from './step-names.ts';

export const hasBegun = (status: OperationStatus, step: UpgradeStep): boolean => {
  const verdict = stepOf(status, step)?.verdict;
  return verdict !== undefined && verdict !== 'Paused';
};

/** Whether it admits, or rolls back, a rollout. */
export const isAdmitting = (scope: OperationScope): boolean =>
  upgrading(scope).some(({ key, revision }) => objectTargets(scope.cluster)[key]?.revision === revision);

/** How many Machines were admitted before; more have the revision while their owner is scaled up. */
const admittedBefore = ({ cluster }: OperationScope, { key, revision, updated }: Rollout): number => {
  const target = objectTargets(cluster)[key];
  const isSame = target?.target === 'Build' && target.revision === revision;
  return Math.min(updated.length, (isSame ? target.most : undefined) ?? Number.POSITIVE_INFINITY);
};

/** Keeps the Machines that exist: as many as have the revision may have it. */
const frozen = (scope: OperationScope, rollout: Rollout): ObjectTarget | undefined => {
  const most = admittedBefore(scope, rollout);
  return most > 0 ? { target: 'Build', revision: rollout.revision, most } : undefined;
};

/** The same while nothing is decided: a surplus stays, too. */
const kept = (scope: OperationScope, rollout: Rollout): ObjectTarget | undefined => {
  const target = frozen(scope, rollout);
  return target && { ...target, held: true };
};

const whole = (_: OperationScope, { revision }: Rollout): ObjectTarget => ({ target: 'Build', revision });
const first = (scope: OperationScope, rollout: Rollout): ObjectTarget => ({
  target: 'Build',
  revision: rollout.revision,
  most: Math.max(1, admittedBefore(scope, rollout)),
});

/** Its whole rollout is admitted. */
const isWhole = (scope: OperationScope, rollout: Rollout): boolean =>
  isDeepStrictEqual(objectTargets(scope.cluster)[rollout.key], whole(scope, rollout));

type Admitting = (scope: OperationScope, rollout: Rollout) => ObjectTarget | undefined;

/** By the steps that have begun, for each object. */
const admitting = (scope: OperationScope, status: OperationStatus): Map<Rollout, Admitting> => {
  const begun = (step: UpgradeStep) => hasBegun(status, step);
  const controlPlane = controlPlaneOf(scope);
  const workers = workersOf(scope);
  // One MachineDeployment follows the other; one that was admitted stays so.
  const next = workers.find((one) => !isComplete(one));
  const ofWorkers = (one: Rollout): Admitting => {
    if (begun('Workers')) return isComplete(one) || isWhole(scope, one) || one === next ? whole : frozen;
    return begun('WorkersCanary') && one === workers[0] ? first : frozen;
  };
  return new Map([
    ...(controlPlane
      ? [[controlPlane, begun('ControlPlane') ? whole : begun('ControlPlaneFirst') ? first : kept] as const]
      : []),
    ...workers.map((one) => [one, ofWorkers(one)] as const),
  ]);
};

/** The targets of the operation's objects while it proceeds. */
const whileRunning = (scope: OperationScope, status: OperationStatus): ObjectTargets => {
  const all = [...admitting(scope, status)].flatMap(([rollout, admit]) => {
    const target = isSuperseded(scope, rollout) ? undefined : admit(scope, rollout);
    return target ? [[rollout.key, target] as const] : [];
  });
  return Object.fromEntries(all);
};

/** Replaces the targets of the operation's own objects. Those of others were rolled back before, and stay so. */
const merged = (scope: OperationScope, own: ObjectTargets): ObjectTargets => {
  const keys = new Set(upgrading(scope).map(({ key }) => key));
  const others = scope.clusterState.rollouts.flatMap(({ key, revision }) => {
    const target = objectTargets(scope.cluster)[key];
    return !keys.has(key) && target?.target === 'RollBack' && target.revision === revision
      ? [[key, target] as const]
      : [];
  });
  return { ...Object.fromEntries(others), ...own };
};

/** Conditional on the observed resourceVersion, as every move of a target. */
const written = (scope: OperationScope, own: ObjectTargets): Action[] => {
  const { cluster } = scope;
  const targets = merged(scope, own);
  if (!isNamed(scope) || isDeepStrictEqual(targets, objectTargets(cluster))) return [];
  const value = Object.keys(targets).length > 0 ? JSON.stringify(targets) : null;
  return [patchAsObserved(cluster, { metadata: { annotations: { [operationAnnotations.objectTargets]: value } } })];
};

export const moveTargets = (scope: OperationScope, status: OperationStatus): Action[] =>
  written(scope, whileRunning(scope, status));

/** Stops every rollout where it is; its Machines are repaired meanwhile. */
export const freezeTargets = (scope: OperationScope): Action[] => {
  const all = upgrading(scope).flatMap((rollout) => {
    const target = isSuperseded(scope, rollout) ? undefined : kept(scope, rollout);
    return target ? [[rollout.key, target] as const] : [];
  });
  return written(scope, Object.fromEntries(all));
};

/** What was admitted goes on; its Machines are repaired meanwhile. */
export const holdTargets = (scope: OperationScope): Action[] => {
  const now = objectTargets(scope.cluster);
  const all = upgrading(scope).flatMap(({ key }) => {
    const target = now[key];
    return target ? [[key, target.target === 'Build' ? { ...target, held: true as const } : target] as const] : [];
  });
  return written(scope, Object.fromEntries(all));
};

/** Everything is as its spec wants it. */
export const clearTargets = (scope: OperationScope): Action[] => written(scope, {});

const rollsBack = (scope: OperationScope, { key, revision }: Rollout): boolean => {
  const target = objectTargets(scope.cluster)[key];
  return target?.target === 'RollBack' && target.revision === revision;
};

/** Whether the control plane can be held, and has no member of the new revision yet, or every guard held. */
const isReversible = (rollout: Rollout, status: OperationStatus): boolean =>
  rollout.followsTargets &&
  (status.guarded === true ||
    (stepOf(status, 'ControlPlaneFirst')?.verdict !== 'Succeeded' &&
      rollout.updated.length <= 1 &&
      servingIn(rollout).length === 0));

/** Whether the control plane has both old and new members, or moves by itself: it goes forward, or is held. */
export const isBetween = (scope: OperationScope, status: OperationStatus): boolean => {
  const controlPlane = controlPlaneOf(scope);
  if (!controlPlane || isComplete(controlPlane)) return false;
  if (controlPlane.updated.length === 0 && controlPlane.followsTargets) return false;
  return !rollsBack(scope, controlPlane) && !isReversible(controlPlane, status);
};

/** Whether this operation itself has admitted the rollout. */
const isAdmittedHere = (scope: OperationScope, status: OperationStatus, rollout: Rollout): boolean => {
  if (rollout.isControlPlane) return hasBegun(status, 'ControlPlaneFirst') && isReversible(rollout, status);
  if (rollout === workersOf(scope)[0]) return hasBegun(status, 'WorkersCanary');
  return hasBegun(status, 'Workers') && isWhole(scope, rollout);
};

/**
 * What is rolled back: a control plane without a new member or whose guards held, and the MachineDeployments of which a
 * part is replaced. Complete ones stay.
 */
export const toRollBack = (scope: OperationScope, status: OperationStatus): Rollout[] =>
  upgrading(scope).filter((rollout) => {
    if (isSuperseded(scope, rollout)) return false;
    return rollsBack(scope, rollout) || (!isComplete(rollout) && isAdmittedHere(scope, status, rollout));
  });

export const rollBackTargets = (scope: OperationScope, status: OperationStatus): Action[] => {
  const back = toRollBack(scope, status);
  const all = upgrading(scope).flatMap((rollout) => {
    const target: ObjectTarget | undefined = back.includes(rollout)
      ? { target: 'RollBack', revision: rollout.revision }
      : isSuperseded(scope, rollout)
        ? undefined
        : frozen(scope, rollout);
    return target ? [[rollout.key, target] as const] : [];
  });
  return written(scope, Object.fromEntries(all));
};
