import type { UpgradeFailurePolicy, UpgradeStep } from '../../core/contract/operation.ts';
import { upgradeSteps } from '../../core/contract/operation.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { done } from '../shared/cluster-state.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { holdAfter, isDone, outOfOrder, proceed } from '../shared/hold.ts';
import { cancelled, failedStep, held, reopened, rolledBack, stepOf } from '../shared/progress.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { heldInRollBack, heldMessage, messages, rolledBackMessage, stoppedMessage } from './messages.ts';
import { upgrading } from './objects.ts';
import { upgradePolicyOf } from './policy.ts';
import { judgeRollBack, rollBackTask, rolledBackIn } from './roll-back.ts';
import { verify } from './steps.ts';
import { freezeTargets, holdTargets, isBetween } from './targets.ts';
import { upgradeTask } from './task.ts';

/** The steps after which the control plane has a new member, and no MachineDeployment is touched. */
const forwardOnly: readonly string[] = ['SoakControlPlane', 'ControlPlane', 'AddOns', 'Verify'] satisfies UpgradeStep[];

/** Reads the policy when it is needed. After the point of no return nothing is rolled back. */
const policyNow = (scope: OperationScope, status: OperationStatus): UpgradeFailurePolicy => {
  const { onFailure } = upgradePolicyOf(scope.cluster, upgrading(scope));
  const policy = scope.spec.cancel ? 'RollBack' : onFailure;
  const isForward = forwardOnly.includes(failedStep(status)?.name ?? '') || isBetween(scope, status);
  return policy === 'RollBack' && isForward ? 'Hold' : policy;
};

/** The answer for a workflow whose operation has already ended. */
const policyAfterEnd: UpgradeFailurePolicy = 'Hold';

const decide = (scope: OperationScope, status: OperationStatus): Outcome => {
  const policy = policyNow(scope, status);
  const answer = { output: { policy } };
  switch (policy) {
    case 'Retry':
      return { status: reopened(status, ({ verdict }) => verdict !== 'Succeeded'), answer };
    case 'Hold':
      return { status, answer, actions: freezeTargets(scope) };
    case 'RollBack':
      return { status, answer };
    default:
      throw new Error(`unknown policy ${policy satisfies never}`);
  }
};

const hold = (scope: OperationScope, status: OperationStatus, error: string | undefined): Outcome => {
  const { operation, spec, now } = scope;
  if (spec.cancel) return { status: cancelled(status, stoppedMessage(operation), now), answer: proceed };
  return holdAfter(scope, status, error, heldMessage, messages);
};

/** Reopens the RollBack step; the workflow repeats it until it succeeds. */
const holdRollBack = ({ now }: OperationScope, status: OperationStatus): Outcome => {
  const waitsFor = stepOf(status, 'RollBack')?.message ?? 'a new Machine is left';
  const again = reopened(status, ({ name, verdict }) => name === 'RollBack' && verdict !== 'Succeeded');
  return { status: held(again, heldInRollBack(again, waitsFor), now), answer: proceed };
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
