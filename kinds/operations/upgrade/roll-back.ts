/** The undo of an upgrade: admits the way back, and waits until no new Machine is left. Pure. */

import { isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { listOf } from '../../common/list-of.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { objectTargets } from '../../core/contract/object-targets.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { causeOfMachines, conditionsOf, withCause } from '../shared/cause.ts';
import { elapsed, running } from '../shared/clock.ts';
import { done, type Judgement, pending, unless } from '../shared/cluster-state.ts';
import { begun, decided, waiting } from '../shared/progress.ts';
import { isComplete, type Rollout, runningVersionOf, wantedVersionOf } from '../shared/rollouts.ts';
import { isNamed, type OperationScope, type Outcome } from '../shared/scope.ts';
import { heldInRollBack, rollingBack } from './messages.ts';
import { controlPlaneOf, isSuperseded, upgrading } from './objects.ts';
import { upgradePolicyOf } from './policy.ts';
import { rollBackTargets, toRollBack } from './targets.ts';

/** The control plane's note of the configuration that it replaced, until it has put it back. */
const configurationBefore = 'capstan.dev/kubeadm-config-before';

const nameOf = ({ object }: Rollout): string => `${object.kind} ${object.metadata.name}`;

/** The version of the control plane once nothing moves it any more. */
const apiVersionIn = ({ clusterState }: Pick<OperationScope, 'clusterState'>): string | undefined => {
  const controlPlane = clusterState.rollouts.find(({ isControlPlane }) => isControlPlane);
  if (!controlPlane) return undefined;
  const goesBack = objectTargets(clusterState.cluster)[controlPlane.key]?.target === 'RollBack';
  const isAdmitted = controlPlane.updated.length > 0 && !goesBack;
  return isAdmitted ? wantedVersionOf(controlPlane) : runningVersionOf(controlPlane);
};

/** Machines of the old revision cannot be created again for a control plane of another minor. */
export const isIrrevocable = (rollout: Rollout, scope: Pick<OperationScope, 'clusterState' | 'spec'>): boolean => {
  if (rollout.isControlPlane) return false;
  const { kind, metadata } = rollout.object;
  const before = scope.spec.objects?.find((one) => one.kind === kind && one.name === metadata.name)?.from;
  const [old, api] = [runningVersionOf({ ...rollout, updated: [] }) ?? before ?? '', apiVersionIn(scope) ?? ''].map(
    parseVersion,
  );
  return old !== undefined && api !== undefined && (old.major !== api.major || old.minor !== api.minor);
};

/** New workers that run stay in the place of old ones that cannot be created again. */
const stayingIn = (scope: Pick<OperationScope, 'clusterState' | 'spec'>, rollout: Rollout): KubeObject[] => {
  if (!isIrrevocable(rollout, scope)) return [];
  const { updated, outdated, desired } = rollout;
  const missing = desired - outdated.filter((machine) => !isDeleting(machine)).length;
  const running = updated.filter((machine) => !isDeleting(machine) && isTrue(conditionsOf(machine), 'Available'));
  return running.slice(0, Math.max(missing, 0));
};

const backwards = (scope: OperationScope, rollout: Rollout): Judgement => {
  const { updated, outdated, desired, object } = rollout;
  const keeps = stayingIn(scope, rollout);
  const going = updated.filter((machine) => !keeps.includes(machine));
  if (going.length > 0)
    return pending(
      withCause(
        `waiting for ${listOf(going.map(({ metadata }) => `Machine ${metadata.name}`))} to be gone`,
        causeOfMachines(going, scope.clusterState),
      ),
    );
  if (object.metadata.annotations?.[configurationBefore] !== undefined)
    return pending(`waiting for ${nameOf(rollout)} to restore the ConfigMap kubeadm-config`);
  const staying = outdated.filter((machine) => !isDeleting(machine));
  return unless(staying.length >= desired || isIrrevocable(rollout, scope), () =>
    withCause(
      `waiting for Machines of ${nameOf(rollout)}: ${staying.length} of ${desired} are back`,
      causeOfMachines(staying, scope.clusterState),
    ),
  );
};

export interface RolledBack {
  back: string[];
  /** Objects that keep new Machines. */
  fresh: string[];
  /** What cannot be rolled back, and what that forbids. */
  kept: string[];
}

/** Pools that a control plane of another minor leaves without new Machines. */
const stuckIn = (scope: OperationScope): string[] =>
  upgrading(scope).flatMap((rollout) => {
    if (isComplete(rollout) || isSuperseded(scope, rollout) || !isIrrevocable(rollout, scope)) return [];
    const version = apiVersionIn(scope);
    return [`${nameOf(rollout)} can neither grow nor replace Machines until its version is that of ${version}`];
  });

export const rolledBackIn = (scope: OperationScope, status: OperationStatus): RolledBack => {
  const back = toRollBack(scope, status);
  const kept = back.flatMap((rollout) => {
    if (!isIrrevocable(rollout, scope)) return [];
    const missing = rollout.desired - rollout.outdated.length;
    const serving = stayingIn(scope, rollout).length;
    const rest = serving > 0 ? `, of which ${serving} are replaced by new ones that stay` : '';
    return missing > 0
      ? [`${missing} Machines of ${nameOf(rollout)} cannot be created again in their old version${rest}`]
      : [];
  });
  const fresh = upgrading(scope).filter(
    (rollout) => !back.includes(rollout) && !isSuperseded(scope, rollout) && rollout.updated.length > 0,
  );
  return { back: back.map(nameOf), fresh: fresh.map(nameOf), kept: [...kept, ...stuckIn(scope)] };
};

export const judgeRollBack = (scope: OperationScope, status: OperationStatus): Judgement => {
  const back = toRollBack(scope, status);
  const controlPlane = controlPlaneOf(scope);
  if (status.guarded && controlPlane && !isSuperseded(scope, controlPlane) && !back.includes(controlPlane))
    return pending(`waiting for a spec that ${nameOf(controlPlane)} can go to: it has no old Machine left`);
  return back.map((rollout) => backwards(scope, rollout)).find(({ verdict }) => verdict !== 'done') ?? done;
};

/** Machines left to remove, and to create in their old revision. */
const leftIn = (scope: OperationScope, status: OperationStatus): number =>
  toRollBack(scope, status).reduce((sum, { updated, outdated, desired }) => {
    const staying = outdated.filter((machine) => !isDeleting(machine));
    return sum + updated.length + Math.max(0, desired - staying.length);
  }, 0);

export const rollBackTask = (scope: OperationScope, before: OperationStatus): Outcome => {
  const { now } = scope;
  const { deadline: _, late: __, ...rest } = before;
  const isHeld = before.phase === 'Held';
  const isEntering = before.step !== 'RollBack';
  const left = leftIn(scope, before);
  const isProgress = isEntering || (before.remaining !== undefined && left < before.remaining);
  const entered: OperationStatus = {
    ...begun(rest, 'RollBack', now),
    remaining: isEntering ? left : Math.min(left, before.remaining ?? left),
    ...(!isHeld && { phase: 'Running' as const, clock: running(isProgress ? { seconds: 0 } : before.clock, now) }),
  };
  const actions = isNamed(scope) ? rollBackTargets(scope, before) : [];
  const seen = judgeRollBack(scope, before);
  // The way back begins once the targets are written.
  const judgement = actions.length > 0 && seen.verdict === 'done' ? pending('waiting for the rollback to begin') : seen;
  if (judgement.verdict === 'done')
    return { status: decided(entered, 'RollBack', 'Succeeded', undefined, now), answer: { output: {} } };
  const waitsFor = judgement.verdict === 'pending' ? judgement.waitsFor : judgement.message;
  const message = (isHeld ? heldInRollBack : rollingBack)(scope.operation, entered, waitsFor);
  const status = { ...waiting(entered, 'RollBack', waitsFor), message };
  const limit = upgradePolicyOf(scope.cluster, upgrading(scope)).deadline;
  const seconds = limit - elapsed(status.clock, now);
  if (isHeld) return { status, actions };
  if (seconds > 0) return { status, actions, requeueAfter: seconds };
  return {
    status: decided(status, 'RollBack', 'Refused', waitsFor, now),
    actions,
    answer: { error: 'StepRefused', cause: waitsFor },
  };
};
