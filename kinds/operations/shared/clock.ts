/** The time that an operation has taken. It stands still while the cluster is paused. Pure; `now` in milliseconds. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';

export type OperationClock = NonNullable<OperationStatus['clock']>;

/** Seconds that count. */
export const elapsed = (clock: OperationClock | undefined, now: number): number => {
  if (!clock) return 0;
  const running = clock.since === undefined ? 0 : Math.max(0, now - Date.parse(clock.since)) / 1000;
  return (clock.seconds ?? 0) + running;
};

/** Started, or going on after a pause; one that runs is left alone. */
export const running = (clock: OperationClock | undefined, now: number): OperationClock =>
  clock?.since === undefined ? { since: timestamp(now), seconds: clock?.seconds ?? 0 } : clock;

export const stopped = (clock: OperationClock | undefined, now: number): OperationClock =>
  clock && clock.since === undefined ? clock : { seconds: Math.round(elapsed(clock, now)) };

/** When `seconds` will have been counted; undefined while it stands still. */
export const deadlineOf = (clock: OperationClock, seconds: number): number | undefined =>
  clock.since === undefined ? undefined : Date.parse(clock.since) + (seconds - (clock.seconds ?? 0)) * 1000;

// A deadline that nobody looked at when it came was missed by Capstan, not by the cluster.
const missedBy = 60;
const grace = 300;

/** A deadline that passed while nothing ran here, an outage or a laptop asleep, is put off: the clock goes back a little. */
export const forgiving = (
  clock: OperationClock,
  noted: string | undefined,
  seconds: number,
  now: number,
): OperationClock =>
  noted !== undefined && now - Date.parse(noted) > missedBy * 1000
    ? { since: timestamp(now), seconds: Math.max(0, Math.round(seconds) - grace) }
    : clock;

/** Seconds since `started`, of which what lies before the last pause does not count. */
export const elapsedSince = (started: string, clock: OperationClock | undefined, now: number): number => {
  const from = Math.max(Date.parse(started), clock?.since === undefined ? 0 : Date.parse(clock.since));
  return Math.max(0, now - from) / 1000;
};
