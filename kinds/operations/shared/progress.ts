/** Updates of an operation's status, one fact at a time. Pure; `now` in milliseconds. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Phase, Verdict } from '../../core/contract/operation.ts';
import type { OperationStatus, OperationStep } from '../cluster-operation/schema.ts';
import { stopped } from './clock.ts';
import type { Judgement } from './cluster-state.ts';

export const stepOf = (status: OperationStatus, name: string): OperationStep | undefined =>
  status.steps?.find((step) => step.name === name);

/** The last step that failed. */
export const failedStep = ({ steps = [] }: OperationStatus): OperationStep | undefined =>
  steps.findLast(({ verdict }) => verdict === 'Refused' || verdict === 'DeadlineExceeded' || verdict === 'Failed');

const withStep = (status: OperationStatus, step: OperationStep): OperationStatus => {
  const { steps = [] } = status;
  const isKnown = steps.some(({ name }) => name === step.name);
  return {
    ...status,
    steps: isKnown ? steps.map((one) => (one.name === step.name ? step : one)) : [...steps, step],
  };
};

/** The workflow has reached the step. A step that already began is unchanged. */
export const begun = (status: OperationStatus, name: string, now: number): OperationStatus => {
  const at = { ...status, step: name, started: status.started ?? timestamp(now) };
  return stepOf(status, name) ? at : withStep(at, { name, started: timestamp(now), verdict: 'Running' });
};

export const waiting = (status: OperationStatus, name: string, message: string, reason?: string): OperationStatus => {
  const step = stepOf(status, name);
  if (!step) return status;
  const { reason: _, ...rest } = step;
  return withStep(status, { ...rest, message, ...(reason !== undefined && { reason }) });
};

export const decided = (
  status: OperationStatus,
  name: string,
  verdict: Exclude<Verdict, 'Running'>,
  message: string | undefined,
  now: number,
): OperationStatus => {
  const step = stepOf(status, name);
  if (!step) return status;
  const { message: _, reason: __, ...rest } = step;
  return withStep(status, { ...rest, verdict, ended: timestamp(now), ...(message && { message }) });
};

/** How an operation moves from step to step. */
export interface Course<Step extends string> {
  steps: readonly Step[];
  judge(step: Step): Judgement;
  enter(status: OperationStatus, step: Step): OperationStatus;
  /** The status while the step is pending. */
  wait(status: OperationStatus, step: Step, waitsFor: string): OperationStatus;
  now: number;
}

/**
 * Begins the next step in the same write, and completes it if it is already done: its task is
 * answered at once when the workflow reaches it. Only the workflow itself records the end of the
 * operation.
 */
export const onwards = <Step extends string>(
  course: Course<Step>,
  status: OperationStatus,
  name: Step,
): OperationStatus => {
  const { steps, judge, enter, wait, now } = course;
  const next = steps[steps.indexOf(name) + 1];
  if (next === undefined || stepOf(status, next)) return status;
  const judgement = judge(next);
  if (judgement.verdict === 'refused') return status;
  const entered = enter(status, next);
  if (judgement.verdict === 'pending') return wait(entered, next, judgement.waitsFor);
  return onwards(course, decided(entered, next, 'Succeeded', judgement.message, now), next);
};

/** Removes the steps that are to be repeated. */
export const reopened = (status: OperationStatus, isReopened: (step: OperationStep) => boolean): OperationStatus => ({
  ...status,
  ...(status.steps && { steps: status.steps.filter((step) => !isReopened(step)) }),
});

const closed = (status: OperationStatus, verdict: Verdict, now: number): OperationStatus => ({
  ...status,
  ...(status.steps && {
    steps: status.steps.map((step) => {
      if (step.verdict !== 'Running' && step.verdict !== 'Paused') return step;
      const { message, reason: _, ...rest } = step;
      // A finished step keeps no waiting message.
      return { ...rest, verdict, ended: timestamp(now), ...(verdict !== 'Succeeded' && message && { message }) };
    }),
  }),
});

/** Ends the operation and stops its clock. */
const ended = (status: OperationStatus, phase: Phase, message: string, now: number): OperationStatus => {
  const { deadline: _, late: __, clock, ...rest } = status;
  return {
    ...rest,
    phase,
    message,
    ...(clock && { clock: stopped(clock, now) }),
    ended: timestamp(now),
  };
};

export const succeeded = (status: OperationStatus, message: string, now: number): OperationStatus =>
  ended(closed(status, 'Succeeded', now), 'Succeeded', message, now);
export const tornDown = (status: OperationStatus, message: string, now: number): OperationStatus =>
  ended(closed(status, 'Succeeded', now), 'TornDown', message, now);
export const rolledBack = (status: OperationStatus, message: string, now: number): OperationStatus =>
  ended(closed(status, 'Succeeded', now), 'RolledBack', message, now);
export const cancelled = (status: OperationStatus, message: string, now: number): OperationStatus =>
  ended(closed(status, 'Cancelled', now), 'Cancelled', message, now);

/** Holds the operation: it decides no step, and ends by itself if its condition comes true. */
export const held = (status: OperationStatus, message: string, now: number): OperationStatus => {
  const { deadline: _, late: __, clock, ...rest } = status;
  return { ...rest, phase: 'Held', message, ...(clock && { clock: stopped(clock, now) }) };
};
