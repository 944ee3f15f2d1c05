/** The steps of creating a cluster: waiting until something is there, within a deadline. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { deadlineOf, elapsed, forgiving, running } from './clock.ts';
import { begun, type Course, decided, onwards, stepOf, waiting } from './progress.ts';
import { everAvailable, moveTarget, type Outcome, type Scene, type Told, writtenTarget } from './scene.ts';
import type { OperationStatus, OperationStep } from './schema.ts';
import { type CreateStep, createSteps, judgeCreate } from './steps/create.ts';
import { done, type Judgement, pending } from './steps/situation.ts';

/**
 * Milliseconds within which what is not there may only not be shown yet: what somebody made a moment ago, or applies a moment
 * later.
 */
const shownWithin = 30_000;

const judge = ({ cluster, situation, preflight, now }: Scene, name: CreateStep, began: number): Judgement => {
  if (everAvailable(cluster)) return done;
  if (name !== 'Preflight') return judgeCreate[name](situation);
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

/** The answer to a step that was decided before: a doubled task is told the same. */
export const decidedAnswer = ({ name, verdict, message = '' }: OperationStep): Told | undefined => {
  switch (verdict) {
    case 'Succeeded':
      return { output: {} };
    case 'Refused':
      return { error: 'StepRefused', cause: message };
    case 'DeadlineExceeded':
      return { error: 'DeadlineExceeded', cause: message };
    case 'Cancelled':
      return { error: 'Cancelled', cause: message || `Step ${name} was cancelled` };
    case 'Running':
    case 'Failed':
      return undefined;
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

/** Until then nothing is made. Derived from the verdict and not tied to its moment, so that a crash in between loses nothing. */
const admission = (scene: Scene, status: OperationStatus): Action[] =>
  stepOf(status, 'Preflight')?.verdict === 'Succeeded' && writtenTarget(scene.cluster) === undefined
    ? moveTarget(scene, 'Build')
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
  { policy, now }: Scene,
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
const wait = (scene: Scene, status: OperationStatus, name: CreateStep, waitsFor: string): Outcome => {
  const { policy, now, random } = scene;
  const { status: next, due } = expecting(scene, status, name, waitsFor);
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

const courseOf = (scene: Scene): Course<CreateStep> => ({
  steps: createSteps,
  judge: (step) => judge(scene, step, scene.now),
  enter: (status, step) => begun(status, step, scene.now),
  wait: (status, step, waitsFor) => expecting(scene, status, step, waitsFor).status,
  now: scene.now,
});

export const createTask = (scene: Scene, before: OperationStatus, name: CreateStep): Outcome => {
  const { now, policy } = scene;
  const known = stepOf(before, name);
  const told = known && decidedAnswer(known);
  if (told) return { status: before, told, actions: admission(scene, before) };
  const status: OperationStatus = { ...begun(before, name, now), phase: 'Running', clock: running(before.clock, now) };
  const judgement = judge(scene, name, beganAt(status, name, now));
  switch (judgement.verdict) {
    case 'done': {
      const next = decided(status, name, 'Succeeded', undefined, now);
      return { status: onwards(courseOf(scene), next, name), told: { output: {} }, actions: admission(scene, next) };
    }
    case 'refused':
      if (policy.onFailure === 'Retry') return wait(scene, status, name, judgement.message);
      return stop(status, name, 'Refused', judgement.message, now);
    case 'pending':
      return { ...wait(scene, status, name, judgement.waitsFor), actions: admission(scene, status) };
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};
