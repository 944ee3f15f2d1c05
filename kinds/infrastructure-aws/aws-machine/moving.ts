/** When to describe an instance in transition again; an event usually reports the change sooner. */
import type { Context } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { pollInterval } from '../engine/step.ts';

/** Seconds in which a describe call may still show the state before the event. */
const lag = 2;
const shortest = 0.25;

/**
 * Seconds until the next describe. Timers fire at multiples of the period after `since`. An event
 * wakes a pass in between; if that pass finds no new state, its read was stale, and the next pass
 * follows soon. `isNew`: this pass is the first to see the state.
 */
export const untilMoved = (since: number, isNew: boolean, { now, config }: Pick<Context, 'now' | 'config'>): number => {
  const speed = speedOf(config);
  const period = pollInterval / speed;
  const elapsed = Math.max(0, (now - since) / 1000);
  const left = period - (elapsed % period);
  // Conditions keep their times in whole seconds.
  const isEven = period - left < 1 || left < 1;
  const wait = isNew || isEven ? (left < 1 ? left + period : left) : Math.min(lag / speed, left);
  return Math.max(shortest, wait);
};
