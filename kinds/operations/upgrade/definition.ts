import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import { done } from '../shared/cluster-state.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { holdAfter, isDone, outOfOrder, proceed } from '../shared/hold.ts';
import { replacementPreflight } from '../shared/observing.ts';
import { cancelled, failedStep, held, reopened, rolledBack, stepOf } from '../shared/progress.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import type { Finding } from '../upgrade-check/checks/facts.ts';
import { objectsUnknown } from '../upgrade-check/checks/unserved.ts';
import type { UpgradeFailurePolicy } from './annotations.ts';
import { awaitsCheck, guardFactsOf } from './guard-facts.ts';
import { guardFailures, guardFailuresOutside } from './guards.ts';
import { deciding, heldInRollBack, heldMessage, messages, rolledBackMessage, stoppedMessage } from './messages.ts';
import { controlPlaneOf, isSuperseded, upgrading } from './objects.ts';
import { observeUpgrade } from './observe.ts';
import { upgradePolicyOf } from './policy.ts';
import { judgeRollBack, rollBackTask, rolledBackIn } from './roll-back.ts';
import { type UpgradeStep, upgradeSteps } from './step-names.ts';
import { verify } from './steps.ts';
import { freezeTargets, holdTargets, isBetween, rollBackTargets } from './targets.ts';
import { upgradeTask } from './task.ts';

/** The steps after which the control plane has a new member, and no MachineDeployment is touched. */
const forwardOnly: readonly string[] = ['SoakControlPlane', 'ControlPlane', 'AddOns', 'Verify'] satisfies UpgradeStep[];

/** Whether the control plane is past the point of no return, or was before every guard held. */
const isForward = (scope: OperationScope, status: OperationStatus): boolean =>
  forwardOnly.includes(failedStep(status)?.name ?? '') || isBetween(scope, status);

/** The guards that keep the operation from a rollback; undefined if they do not decide. */
const failedGuards = (scope: OperationScope, status: OperationStatus): Finding[] | undefined => {
  const { onFailure, isGuarded } = upgradePolicyOf(scope.cluster, upgrading(scope));
  const controlPlane = controlPlaneOf(scope);
  if (!isGuarded || !controlPlane || !isForward(scope, status)) return undefined;
  if (isSuperseded(scope, controlPlane) || (onFailure !== 'RollBack' && !scope.spec.cancel)) return undefined;
  const facts = guardFactsOf(scope, status, controlPlane);
  const outside = guardFailuresOutside(facts);
  // The cluster is looked into only if all other guards hold.
  return outside.length > 0 ? outside : guardFailures(facts);
};

/** Whether every guard holds as far as it is known. */
const isUndecided = (scope: OperationScope, status: OperationStatus): boolean => {
  const failures = status.guarded ? undefined : failedGuards(scope, status);
  return failures?.every(({ code }) => code === objectsUnknown) === true && awaitsCheck(scope, status);
};

/** Reads the policy when it is needed. After the point of no return only guards permit a rollback. */
const policyNow = (scope: OperationScope, status: OperationStatus): UpgradeFailurePolicy => {
  const { onFailure } = upgradePolicyOf(scope.cluster, upgrading(scope));
  const policy = scope.spec.cancel ? 'RollBack' : onFailure;
  if (policy !== 'RollBack' || status.guarded || !isForward(scope, status)) return policy;
  return failedGuards(scope, status)?.length === 0 ? 'RollBack' : 'Hold';
};

/** The answer for a workflow whose operation has already ended. */
const policyAfterEnd: UpgradeFailurePolicy = 'Hold';

const decideNow = (scope: OperationScope, status: OperationStatus): Outcome => {
  const policy = policyNow(scope, status);
  const answer = { output: { policy } };
  switch (policy) {
    case 'Retry':
      return { status: reopened(status, ({ verdict }) => verdict !== 'Succeeded'), answer };
    case 'Hold':
      return { status, answer, actions: freezeTargets(scope) };
    case 'RollBack': {
      if (!isForward(scope, status)) return { status, answer };
      // The record keeps the decision when a guard fails later: a rollback that began goes on. Its
      // targets are written before the answer, as the last old Machine could be deleted meanwhile.
      const guarded = { ...status, guarded: true };
      return { status: guarded, answer, actions: rollBackTargets(scope, guarded) };
    }
    default:
      throw new Error(`unknown policy ${policy satisfies never}`);
  }
};

/** Seconds until the decision is looked at again, if no event says that the check has ended. */
const lookAgain = 60;

const decide = (scope: OperationScope, status: OperationStatus): Outcome => {
  if (!isUndecided(scope, status)) return decideNow(scope, status);
  const since = status.deciding ?? timestamp(scope.now);
  const waiting = { ...status, deciding: since, message: deciding(scope.operation, status) };
  return { status: waiting, actions: freezeTargets(scope), requeueAfter: lookAgain };
};

const hold = (scope: OperationScope, status: OperationStatus, error: string | undefined): Outcome => {
  const { operation, spec, now } = scope;
  const failures = failedGuards(scope, status);
  if (spec.cancel) return { status: cancelled(status, stoppedMessage(operation, failures), now), answer: proceed };
  const message = (held: ClusterOperation, at: OperationStatus) => heldMessage(held, at, failures);
  return holdAfter(scope, status, error, message, messages);
};

/** Reopens the RollBack step; the workflow repeats it until it succeeds. */
const holdRollBack = ({ operation, now }: OperationScope, status: OperationStatus): Outcome => {
  const waitsFor = stepOf(status, 'RollBack')?.message ?? 'a new Machine is left';
  const again = reopened(status, ({ name, verdict }) => name === 'RollBack' && verdict !== 'Succeeded');
  return { status: held(again, heldInRollBack(operation, again, waitsFor), now), answer: proceed };
};

const ended = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const message = rolledBackMessage(scope.operation, status, rolledBackIn(scope, status));
  return rolledBack(status, message, scope.now);
};

const recordRolledBack = (scope: OperationScope, status: OperationStatus): Outcome =>
  isDone(status, 'RollBack') ? { status: ended(scope, status), answer: proceed } : outOfOrder(status, 'RolledBack');

const isRollingBack = ({ operation }: OperationScope): boolean =>
  stepOf(operation.status ?? {}, 'RollBack') !== undefined;

/** An empty list of objects proves nothing: the cluster may have none of them any more. */
const isFulfilled = (scope: OperationScope): boolean =>
  !isRollingBack(scope) && upgrading(scope).length > 0 && verify(scope).verdict === 'done';

export const upgrade: OperationDefinition = {
  steps: upgradeSteps,
  observe: observeUpgrade,
  preflight: (observing) => {
    const { objects } = observing.operation.spec ?? {};
    return objects && replacementPreflight(observing, objects);
  },
  task: (scope, status, step) => upgradeTask(scope, status, step as UpgradeStep),
  undo: {
    Decide: { run: decide, afterEnd: { output: { policy: policyAfterEnd } } },
    RollBack: { run: rollBackTask },
    RollBackHeld: { run: holdRollBack, afterEnd: proceed },
    RolledBack: { run: recordRolledBack, afterEnd: proceed },
  },
  isFulfilled,
  isProved: (scope, status) => isDone(status, 'Verify') || isFulfilled(scope),
  hold,
  whileHeld: (scope) => (isRollingBack(scope) ? [] : holdTargets(scope)),
  awaited: (scope) =>
    isRollingBack(scope) ? judgeRollBack(scope, scope.operation.status ?? {}) : scope.spec.cancel ? done : undefined,
  ended: (scope, status) =>
    isRollingBack(scope) ? ended(scope, status) : cancelled(status, stoppedMessage(scope.operation), scope.now),
  messages,
};
