/** Changes to the status of an operation, one fact at a time. Pure; `now` in milliseconds. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Phase, Verdict } from '../../core/contract/operation.ts';
import type { OperationStatus, OperationStep } from '../cluster-operation/schema.ts';
import { stopped } from './clock.ts';
import type { Judgement } from './cluster-state.ts';

export const stepOf = (status: OperationStatus, name: string): OperationStep | undefined =>
  status.steps?.find((step) => step.name === name);

/** The step that the operation could not get past. */
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

/** The workflow has come to it. One that was begun before goes on. */
export const begun = (status: OperationStatus, name: string, now: number): OperationStatus => {
  const at = { ...status, step: name, started: status.started ?? timestamp(now) };
  return stepOf(status, name) ? at : withStep(at, { name, started: timestamp(now), verdict: 'Running' });
};

export const waiting = (status: OperationStatus, name: string, message: string): OperationStatus => {
  const step = stepOf(status, name);
  return step ? withStep(status, { ...step, message }) : status;
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
  const { message: _, ...rest } = step;
  return withStep(status, { ...rest, verdict, ended: timestamp(now), ...(message && { message }) });
};

/** How an operation goes from one step to the next. */
export interface Course<Step extends string> {
  steps: readonly Step[];
  judge(step: Step): Judgement;
  enter(status: OperationStatus, step: Step): OperationStatus;
  /** What it says while the step is not done. */
  wait(status: OperationStatus, step: Step, waitsFor: string): OperationStatus;
  now: number;
}

/**
 * What follows a step that is done is begun in the same write, and done if it is so already: its tasks are told so when
 * they come. The workflow itself says when it has come to its end.
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
  return onwards(course, decided(entered, next, 'Succeeded', undefined, now), next);
};

/** Without the steps that are to be done again. */
export const reopened = (status: OperationStatus, isReopened: (step: OperationStep) => boolean): OperationStatus => ({
  ...status,
  ...(status.steps && { steps: status.steps.filter((step) => !isReopened(step)) }),
});

const closed = (status: OperationStatus, verdict: Verdict, now: number): OperationStatus => ({
  ...status,
  ...(status.steps && {
    steps: status.steps.map((step) => {
      if (step.verdict !== 'Running') return step;
      const { message, ...rest } = step;
      // What is done waits for nothing any more.
      return { ...rest, verdict, ended: timestamp(now), ...(verdict !== 'Succeeded' && message && { message }) };
    }),
  }),
});

/** Nothing more happens to it: the clock stands still. */
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
export const cancelled = (status: OperationStatus, message: string, now: number): OperationStatus =>
  ended(closed(status, 'Cancelled', now), 'Cancelled', message, now);

/** On hold: nobody decides anything, and it ends by itself should what it waits for become true. */
export const held = (status: OperationStatus, message: string, now: number): OperationStatus => {
  const { deadline: _, late: __, clock, ...rest } = status;
  return { ...rest, phase: 'Held', message, ...(clock && { clock: stopped(clock, now) }) };
};
