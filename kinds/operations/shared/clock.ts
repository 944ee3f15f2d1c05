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

/** Seconds between two checks of a running clock. */
export const checkInterval = 300;

const lastCheck = ({ since, seen }: OperationClock): number => Date.parse(seen ?? since ?? '');

/** Whether the operation must check if anything but the cluster keeps it from going on. */
export const isCheckDue = (clock: OperationClock | undefined, now: number): boolean =>
  clock !== undefined && !(now - lastCheck(clock) < checkInterval * 1000);

/**
 * Notes the check. The time between two checks that are far apart was an outage, such as a sleeping
 * laptop or a table that did not answer. It does not count, because the cluster did not cause it.
 */
export const checked = (status: OperationStatus, now: number): OperationStatus => {
  const { clock, deadline } = status;
  if (clock?.since === undefined || !isCheckDue(clock, now)) return status;
  const gap = now - lastCheck(clock) - checkInterval * 1000;
  const shift = gap > checkInterval * 1000 ? gap : 0;
  const later = (time: string) => timestamp(Date.parse(time) + shift);
  return {
    ...status,
    clock: { ...clock, since: later(clock.since), seen: timestamp(now) },
    ...(deadline !== undefined && { deadline: later(deadline) }),
  };
};

/** Seconds since `started`, not counting the time before the last pause ended. */
export const elapsedSince = (started: string, clock: OperationClock | undefined, now: number): number => {
  const from = Math.max(Date.parse(started), clock?.since === undefined ? 0 : Date.parse(clock.since));
  return Math.max(0, now - from) / 1000;
};
