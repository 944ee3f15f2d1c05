/**
 * The elapsed time of an operation. The clock stops while the cluster is paused. Pure; `now` in
 * milliseconds.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';

export type OperationClock = NonNullable<OperationStatus['clock']>;

/** Elapsed seconds, without pauses. */
export const elapsed = (clock: OperationClock | undefined, now: number): number => {
  if (!clock) return 0;
  const running = clock.since === undefined ? 0 : Math.max(0, now - Date.parse(clock.since)) / 1000;
  return (clock.seconds ?? 0) + running;
};

/** Starts the clock, or resumes it after a pause. */
export const running = (clock: OperationClock | undefined, now: number): OperationClock =>
  clock?.since === undefined ? { since: timestamp(now), seconds: clock?.seconds ?? 0 } : clock;

export const stopped = (clock: OperationClock | undefined, now: number): OperationClock =>
  clock && clock.since === undefined ? clock : { seconds: Math.round(elapsed(clock, now)) };

/** When the clock will reach `seconds`; undefined while it is stopped. */
export const deadlineOf = (clock: OperationClock, seconds: number): number | undefined =>
  clock.since === undefined ? undefined : Date.parse(clock.since) + (seconds - (clock.seconds ?? 0)) * 1000;

// Seconds. If no pass ran this long after a deadline, Capstan was down, and the cluster is not to
// blame.
const missedBy = 60;
const grace = 300;

/**
 * Postpones a deadline that passed during an outage, such as a sleeping laptop, by moving the clock
 * back.
 */
export const forgiving = (
  clock: OperationClock,
  noted: string | undefined,
  seconds: number,
  now: number,
): OperationClock =>
  noted !== undefined && now - Date.parse(noted) > missedBy * 1000
    ? { since: timestamp(now), seconds: Math.max(0, Math.round(seconds) - grace) }
    : clock;

/** Seconds since `started`, not counting the time before the last pause ended. */
export const elapsedSince = (started: string, clock: OperationClock | undefined, now: number): number => {
  const from = Math.max(Date.parse(started), clock?.since === undefined ? 0 : Date.parse(clock.since));
  return Math.max(0, now - from) / 1000;
};
