/** The steps of creating a cluster: waiting until something is there, within a deadline. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { decidedAnswer } from '../shared/answers.ts';
import { deadlineOf, elapsed, forgiving, running } from '../shared/clock.ts';
import { done, type Judgement, pending } from '../shared/cluster-state.ts';
import { begun, type Course, decided, onwards, stepOf, waiting } from '../shared/progress.ts';
import { everAvailable, moveTarget, type OperationScope, type Outcome, writtenTarget } from '../shared/scope.ts';
import { type CreateStep, createSteps, judgeCreate } from './steps.ts';

/**
 * Milliseconds within which what is not there may only not be shown yet: what somebody made a moment ago, or applies a moment
 * later.
 */
const shownWithin = 30_000;

const judge = (
  { cluster, clusterState, preflight, now }: OperationScope,
  name: CreateStep,
  began: number,
): Judgement => {
  if (everAvailable(cluster)) return done;
  if (name !== 'Preflight') return judgeCreate[name](clusterState);
  if (!preflight) return pending('waiting for what has to be known before anything is paid');
  const { verdict, message } = preflight;
  switch (verdict) {
    case 'passed':
      return done;
    case 'pending':
      return pending(message);
    case 'absent':
      return now - began < shownWithin ? pending(message) : { verdict: 'refused', message };
    case 'refused':
      return { verdict, message };
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

/** Until then nothing is made. Derived from the verdict and not tied to its moment, so that a crash in between loses nothing. */
const admission = (scope: OperationScope, status: OperationStatus): Action[] =>
  stepOf(status, 'Preflight')?.verdict === 'Succeeded' && writtenTarget(scope.cluster) === undefined
    ? moveTarget(scope, 'Build')
    : [];

const stop = (
  status: OperationStatus,
  name: CreateStep,
  verdict: 'Refused' | 'DeadlineExceeded',
  message: string,
  now: number,
): Outcome => ({
  status: { ...decided(status, name, verdict, message, now), message: `${name}: ${message}` },
  told: { error: verdict === 'Refused' ? 'StepRefused' : verdict, cause: message },
});

/**
 * Seconds between two looks at an account that nothing announces a change of. Drawn: clusters that are made at once are refused
 * at once, and would be again. Of one that is late, a minute.
 */
const looks = { soon: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], late: 60 };

/** Waiting within the deadline. */
const expecting = (
  { policy, now }: OperationScope,
  status: OperationStatus,
  name: CreateStep,
  waitsFor: string,
): { status: OperationStatus; due: number } => {
  const { late, ...rest } = waiting(status, name, waitsFor);
  const clock = late
    ? running(status.clock, now)
    : forgiving(running(status.clock, now), status.deadline, policy.seconds, now);
  const due = deadlineOf(clock, policy.seconds) ?? now;
  return { status: { ...rest, clock, message: `${name}: ${waitsFor}`, deadline: timestamp(due) }, due };
};

/** Not done yet: it may go on, it is late, or that was all. */
const wait = (scope: OperationScope, status: OperationStatus, name: CreateStep, waitsFor: string): Outcome => {
  const { policy, now, random } = scope;
  const { status: next, due } = expecting(scope, status, name, waitsFor);
  const isLate = elapsed(next.clock, now) >= policy.seconds;
  const isAccount = name === 'Preflight';
  const left = (due - now) / 1000;
  if (!isLate) return { status: next, requeueAfter: isAccount ? Math.min(random.pick(looks.soon), left) : left };
  switch (policy.onFailure) {
    case 'Retry':
      return {
        status: { ...next, late: true, message: `Step ${name} is late, and goes on: ${waitsFor}` },
        ...(isAccount && { requeueAfter: looks.late }),
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
  const told = known && decidedAnswer(known);
  if (told) return { status: before, told, actions: admission(scope, before) };
  const status: OperationStatus = { ...begun(before, name, now), phase: 'Running', clock: running(before.clock, now) };
  const judgement = judge(scope, name, beganAt(status, name, now));
  switch (judgement.verdict) {
    case 'done': {
      const next = decided(status, name, 'Succeeded', undefined, now);
      return { status: onwards(courseOf(scope), next, name), told: { output: {} }, actions: admission(scope, next) };
    }
    case 'refused':
      if (policy.onFailure === 'Retry') return wait(scope, status, name, judgement.message);
      return stop(status, name, 'Refused', judgement.message, now);
    case 'pending':
      return { ...wait(scope, status, name, judgement.waitsFor), actions: admission(scope, status) };
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};
