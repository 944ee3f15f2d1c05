/** The tasks of a create: each waits, within the deadline, until its step is done. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { overriddenFor, overriddenMessage, refusalOf, withOverrides } from '../../core/contract/override.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { decidedAnswer } from '../shared/answers.ts';
import { deadlineOf, elapsed, running } from '../shared/clock.ts';
import { type ClusterState, done, type Judgement, pending, skipped, toBeMended } from '../shared/cluster-state.ts';
import { overdueMessage } from '../shared/messages.ts';
import { begun, type Course, decided, onwards, stepOf, waiting } from '../shared/progress.ts';
import { everAvailable, moveTarget, type OperationScope, type Outcome, writtenTarget } from '../shared/scope.ts';
import { unawaited } from './messages.ts';
import { copyOrigin, judgeOrigin, noteOrigin, originAnnotation } from './origin.ts';
import { type CreateStep, createSteps, judgeCreate } from './steps.ts';

/**
 * Milliseconds for which an absent object only counts as pending: it was just created and is not
 * visible yet, or the user applies it a moment later.
 */
const shownWithin = 30_000;

/** Nothing of an Available cluster is waited for: a user may rely on it already. */
const withoutWaiting = (name: CreateStep, clusterState: ClusterState): Judgement => {
  if (name === 'Preflight' || name === 'Available') return done;
  const judgement = judgeCreate[name](clusterState);
  return judgement.verdict === 'pending' ? skipped(unawaited(judgement.waitsFor)) : done;
};

/** A snapshot may be applied together with its Cluster. */
const withOrigin = (scope: OperationScope, passed: Judgement, began: number): Judgement => {
  const origin = judgeOrigin(scope);
  if (!origin) return passed;
  const isNew = scope.now - began < shownWithin && scope.clusterState.origin?.original.state === 'absent';
  if (origin.verdict === 'refused' && isNew) return pending(origin.message);
  if (origin.verdict !== 'done' || passed.verdict !== 'done' || passed.message === undefined) return origin;
  return skipped(`${passed.message}. ${origin.message ?? ''}`);
};

const judge = (scope: OperationScope, name: CreateStep, began: number): Judgement => {
  const { cluster, clusterState, operation, preflight, now } = scope;
  if (everAvailable(cluster)) return withoutWaiting(name, clusterState);
  if (name !== 'Preflight') return judgeCreate[name](clusterState);
  if (!preflight) return pending('waiting for what has to be known before anything is paid');
  const { preflight: left, overridden } = withOverrides(preflight, overriddenFor(cluster, operation.metadata.name));
  const { verdict, message } = left;
  switch (verdict) {
    case 'passed':
      return withOrigin(scope, overridden.length > 0 ? skipped(overriddenMessage(overridden)) : done, began);
    case 'pending':
      return pending(message);
    case 'absent':
      return now - began < shownWithin
        ? pending(message, toBeMended)
        : { verdict: 'refused', message: refusalOf(cluster, left) };
    case 'refused':
      return { verdict, message: refusalOf(cluster, left) };
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

/**
 * Moves the target to Build once Preflight has succeeded; nothing is created before. It follows
 * from the recorded verdict, so that a crash in between loses nothing.
 */
const admission = (scope: OperationScope, status: OperationStatus): Action[] =>
  stepOf(status, 'Preflight')?.verdict === 'Succeeded' && writtenTarget(scope.cluster) === undefined
    ? moveTarget(scope, 'Build', originAnnotation(scope, status))
    : [];

const stop = (
  status: OperationStatus,
  name: CreateStep,
  verdict: 'Refused' | 'DeadlineExceeded',
  message: string,
  now: number,
): Outcome => ({
  status: { ...decided(status, name, verdict, message, now), message: `${name}: ${message}` },
  answer: { error: verdict === 'Refused' ? 'StepRefused' : verdict, cause: message },
});

/**
 * Seconds between two preflights: no event announces a change in the account. Random, because
 * clusters created together would otherwise keep colliding on a quota. A late preflight runs every
 * minute.
 */
const looks = { soon: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], afterDeadline: 60 };

/** The status while the step waits within its deadline. */
const expecting = (
  { policy, now }: OperationScope,
  status: OperationStatus,
  name: CreateStep,
  waitsFor: string,
  reason?: string,
): { status: OperationStatus; due: number } => {
  const { late: _, ...rest } = waiting(status, name, waitsFor, reason);
  const clock = running(status.clock, now);
  const due = deadlineOf(clock, policy.seconds) ?? now;
  return { status: { ...rest, clock, message: `${name}: ${waitsFor}`, deadline: timestamp(due) }, due };
};

/** The step is pending: it continues, is late, or exceeds its deadline. */
const wait = (
  scope: OperationScope,
  status: OperationStatus,
  name: CreateStep,
  waitsFor: string,
  reason?: string,
): Outcome => {
  const { policy, now, random } = scope;
  const { status: next, due } = expecting(scope, status, name, waitsFor, reason);
  const isOverdue = elapsed(next.clock, now) >= policy.seconds;
  const isAccount = name === 'Preflight';
  const left = (due - now) / 1000;
  if (!isOverdue) return { status: next, requeueAfter: isAccount ? Math.min(random.pick(looks.soon), left) : left };
  switch (policy.onFailure) {
    case 'Retry':
      return {
        status: { ...next, late: true, message: overdueMessage(scope.operation, name, waitsFor) },
        ...(isAccount && { requeueAfter: looks.afterDeadline }),
      };
    case 'Hold':
    case 'TearDown':
      return stop(next, name, 'DeadlineExceeded', waitsFor, now);
    default:
      throw new Error(`unknown policy ${policy.onFailure satisfies never}`);
  }
};

const beganAt = (status: OperationStatus, name: CreateStep, now: number): number =>
  Date.parse(stepOf(status, name)?.started ?? '') || now;

const courseOf = (scope: OperationScope): Course<CreateStep> => ({
  steps: createSteps,
  judge: (step) => judge(scope, step, scope.now),
  enter: (status, step) => begun(status, step, scope.now),
  wait: (status, step, waitsFor) => expecting(scope, status, step, waitsFor).status,
  now: scope.now,
});

export const createTask = (scope: OperationScope, before: OperationStatus, name: CreateStep): Outcome => {
  const { now, policy } = scope;
  const known = stepOf(before, name);
  const answer = known && decidedAnswer(known);
  if (answer) return { status: before, answer, actions: admission(scope, before) };
  const status: OperationStatus = { ...begun(before, name, now), phase: 'Running', clock: running(before.clock, now) };
  const judgement = judge(scope, name, beganAt(status, name, now));
  switch (judgement.verdict) {
    case 'done': {
      const decision = decided(status, name, 'Succeeded', judgement.message, now);
      const next = name === 'Preflight' ? noteOrigin(scope, decision) : decision;
      return { status: onwards(courseOf(scope), next, name), answer: { output: {} }, actions: admission(scope, next) };
    }
    case 'refused':
      if (policy.onFailure === 'Retry') return wait(scope, status, name, judgement.message, toBeMended);
      return stop(status, name, 'Refused', judgement.message, now);
    case 'pending':
      return {
        ...wait(scope, status, name, judgement.waitsFor, judgement.reason),
        actions: [...admission(scope, status), ...(name === 'Preflight' ? copyOrigin(scope) : [])],
      };
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};
