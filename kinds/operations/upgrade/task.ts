/** The tasks of an upgrade: each waits, as long as there is progress, until its step is done. Pure. */

import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { hookBeforeWorkers } from '../../core/contract/lifecycle-hooks.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { decidedAnswer, stopStep } from '../shared/answers.ts';
import { deadlineOf, elapsed, elapsedSince, running, stopped } from '../shared/clock.ts';
import { type Judgement, pending, toBeMended } from '../shared/cluster-state.ts';
import { cancelledByUser, overdueMessage } from '../shared/messages.ts';
import { begun, type Course, decided, onwards, reopened, stepOf, waiting } from '../shared/progress.ts';
import { isComplete, remainingIn } from '../shared/rollouts.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { answerIn } from './checked.ts';
import { pausedBefore } from './messages.ts';
import { isSuperseded, upgrading } from './objects.ts';
import { type UpgradePolicy, upgradePolicyOf } from './policy.ts';
import { judgePreflight } from './preflight.ts';
import { judgeSnapshot, takeSnapshot } from './snapshot.ts';
import { type UpgradeStep, upgradeSteps } from './step-names.ts';
import { judgeUpgrade } from './steps.ts';
import { clearTargets, hasBegun, isAdmitting, moveTargets } from './targets.ts';

const policyIn = (scope: OperationScope): UpgradePolicy => upgradePolicyOf(scope.cluster, upgrading(scope));

const startedAt = (status: OperationStatus, name: UpgradeStep, now: number): number =>
  Date.parse(stepOf(status, name)?.started ?? '') || now;

const soakSteps: readonly string[] = ['SoakControlPlane', 'SoakWorkers'];

const hour = 60 * 60 * 1000;

/** Nothing but hooks of extensions keeps the workers waiting. */
const isHeldByHook = (scope: OperationScope, name: UpgradeStep): boolean => {
  const hook = name === 'AddOns' ? hookBeforeWorkers(scope.cluster) : undefined;
  const judgement = hook === undefined ? undefined : judgeUpgrade.AddOns(scope);
  return judgement?.verdict === 'pending' && judgement.waitsFor === hook;
};

/** Seconds that the step takes before its deadline counts. */
const soakOf = (scope: OperationScope, name: UpgradeStep): number =>
  soakSteps.includes(name) ? policyIn(scope).soak : 0;

/** Once a soak is over, its clock goes on from its length. */
const hasSoaked = ({ clock }: OperationStatus, soak: number): boolean => (clock?.seconds ?? 0) >= soak;

/** Seconds of the soak that are left. */
const soakLeft = (scope: OperationScope, status: OperationStatus, name: UpgradeStep): number => {
  const soak = soakOf(scope, name);
  if (hasSoaked(status, soak)) return 0;
  const started = stepOf(status, name)?.started ?? timestamp(scope.now);
  return Math.max(0, soak - elapsedSince(started, status.clock, scope.now));
};

const judge = (scope: OperationScope, status: OperationStatus, name: UpgradeStep): Judgement => {
  if (name === 'Preflight') return judgePreflight(scope, status, startedAt(status, name, scope.now));
  if (name === 'Snapshot') return judgeSnapshot(scope, status);
  const judgement = judgeUpgrade[name](scope);
  if (judgement.verdict !== 'done' || judgement.message !== undefined) return judgement;
  return soakLeft(scope, status, name) > 0 ? pending('soaking') : judgement;
};

/** Nothing is left that a user could let go on. */
const isSetBack = (scope: OperationScope): boolean =>
  upgrading(scope).every((rollout) => isSuperseded(scope, rollout) && isComplete(rollout));

const isPausedBefore = (scope: OperationScope, status: OperationStatus, name: UpgradeStep): boolean =>
  !hasBegun(status, name) &&
  policyIn(scope).pauses.includes(name) &&
  !(scope.spec.continued ?? []).includes(name) &&
  !isSetBack(scope);

/** Enters the step, or pauses before it; either way its clock starts again. */
const enter = (scope: OperationScope, before: OperationStatus, name: UpgradeStep): OperationStatus => {
  const { now, operation } = scope;
  if (hasBegun(before, name)) return { ...before, step: name, phase: 'Running' };
  const { deadline: _, late: __, ...rest } = reopened(before, (step) => step.name === name);
  const status: OperationStatus = { ...begun(rest, name, now), phase: 'Running' };
  if (!isPausedBefore(scope, before, name)) return { ...status, clock: running({ seconds: 0 }, now) };
  const message = pausedBefore(operation, name);
  const steps = status.steps?.map((step) =>
    step.name === name ? (stepOf(before, name) ?? { ...step, verdict: 'Paused' as const, message }) : step,
  );
  return { ...status, ...(steps && { steps }), clock: { seconds: 0 }, message: `${name}: ${message}` };
};

type Counter = 'remaining' | 'remainingPods';

/** Restarts the clock if the count is lower than ever before. */
const counted = (status: OperationStatus, counter: Counter, count: number, now: number): OperationStatus => {
  const lowest = status[counter];
  if (lowest !== undefined && count >= lowest) return status;
  if (lowest === undefined) return { ...status, [counter]: count };
  const { late: _, ...rest } = status;
  return { ...rest, [counter]: count, clock: running({ seconds: 0 }, now) };
};

/** Machines that are left to create or remove, and Pods of add-ons that are left to update. */
const noteProgress = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const machines = upgrading(scope).reduce((sum, rollout) => sum + remainingIn(rollout), 0);
  const pods = answerIn(scope, 'AddOns', startedAt(status, 'AddOns', scope.now))?.podsLeft;
  const noted = counted(status, 'remaining', machines, scope.now);
  return pods === undefined ? noted : counted(noted, 'remainingPods', pods, scope.now);
};

/** The status while the step waits within its deadline. */
const expecting = (
  scope: OperationScope,
  before: OperationStatus,
  name: UpgradeStep,
  waitsFor: string,
  reason?: string,
): { status: OperationStatus; due: number } => {
  const { now } = scope;
  const { deadline: seconds } = policyIn(scope);
  const soak = soakLeft(scope, before, name);
  const { deadline: _, ...status } = noteProgress(scope, waiting(before, name, waitsFor, reason));
  const message = `${name}: ${waitsFor}`;
  // An extension takes its time, too; the change of the Cluster wakes the operation.
  if (isHeldByHook(scope, name))
    return { status: { ...status, message, clock: stopped(status.clock, now) }, due: now + hour };
  // A soak takes its time, whatever the deadline.
  if (soak > 0) return { status: { ...status, message, clock: stopped(status.clock, now) }, due: now + soak * 1000 };
  const soaked = soakOf(scope, name);
  const clock = hasSoaked(status, soaked) ? running(status.clock, now) : running({ seconds: soaked }, now);
  const due = deadlineOf(clock, seconds + soaked) ?? now;
  return { status: { ...status, message, clock, deadline: timestamp(due) }, due };
};

/** Seconds between two looks at a step that no event announces to be done. */
const poll = 60;

const wait = (
  scope: OperationScope,
  status: OperationStatus,
  name: UpgradeStep,
  waitsFor: string,
  reason?: string,
): Outcome => {
  const { now } = scope;
  const policy = policyIn(scope);
  const { status: next, due } = expecting(scope, status, name, waitsFor, reason);
  const actions = moveTargets(scope, next);
  const isOverdue =
    next.clock?.since !== undefined && elapsed(next.clock, now) >= policy.deadline + soakOf(scope, name);
  const left = (due - now) / 1000;
  if (!isOverdue) return { status: next, actions, requeueAfter: name === 'Preflight' ? Math.min(left, poll) : left };
  if (policy.onFailure !== 'Retry') return stopStep(next, name, 'DeadlineExceeded', waitsFor, now);
  const { deadline: _, ...withoutDeadline } = next;
  return {
    status: { ...withoutDeadline, late: true, message: overdueMessage(scope.operation, name, waitsFor) },
    actions,
    ...(name === 'Preflight' && { requeueAfter: poll }),
  };
};

const courseOf = (scope: OperationScope, status: OperationStatus): Course<UpgradeStep> => ({
  steps: upgradeSteps,
  judge: (step) =>
    isPausedBefore(scope, status, step) ? pending(pausedBefore(scope.operation, step)) : judge(scope, status, step),
  enter: (before, step) => enter(scope, before, step),
  wait: (before, step, waitsFor) => (hasBegun(before, step) ? expecting(scope, before, step, waitsFor).status : before),
  now: scope.now,
});

/** A user cancels: what is not admitted yet is left as it is, and what can be undone is. */
const cancel = (scope: OperationScope, before: OperationStatus, name: UpgradeStep): Outcome => {
  const { now, operation } = scope;
  const because = cancelledByUser(operation);
  const status: OperationStatus = { ...begun(before, name, now), phase: 'Running' };
  if (isAdmitting(scope)) return stopStep(status, name, 'Refused', because, now);
  return {
    status: decided(status, name, 'Cancelled', because, now),
    answer: { error: 'Cancelled', cause: because },
  };
};

export const upgradeTask = (scope: OperationScope, before: OperationStatus, name: UpgradeStep): Outcome => {
  const { now } = scope;
  const known = stepOf(before, name);
  const answer = known && decidedAnswer(known);
  const closing = (status: OperationStatus) =>
    stepOf(status, 'Verify')?.verdict === 'Succeeded' ? clearTargets(scope) : moveTargets(scope, status);
  if (answer) return { status: before, answer, actions: closing(before) };
  if (scope.spec.cancel) return cancel(scope, before, name);
  const status = enter(scope, before, name);
  if (!hasBegun(status, name)) return { status, actions: moveTargets(scope, status) };
  const judgement = judge(scope, status, name);
  switch (judgement.verdict) {
    case 'done': {
      const decision = decided(noteProgress(scope, status), name, 'Succeeded', judgement.message, now);
      const next = onwards(courseOf(scope, decision), decision, name);
      return { status: next, answer: { output: {} }, actions: closing(next) };
    }
    case 'refused':
      if (policyIn(scope).onFailure === 'Retry') return wait(scope, status, name, judgement.message, toBeMended);
      return stopStep(status, name, 'Refused', judgement.message, now);
    case 'pending': {
      const { actions = [], ...waits } = wait(scope, status, name, judgement.waitsFor, judgement.reason);
      return { ...waits, actions: [...actions, ...takeSnapshot(scope, status)] };
    }
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};
