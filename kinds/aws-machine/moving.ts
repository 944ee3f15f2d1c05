/** When to look at an instance that changes its state, which an event usually tells of. */
import type { Context } from '../../machinery/api/reconcile.ts';
import { untold } from '../aws-cluster/step.ts';
import { speedOf } from '../aws-cluster/usual.ts';

/** Seconds in which a describe call may still show the state before the event. */
const lag = 2;
const shortest = 0.25;

/**
 * Seconds until the next look. Timers look at even times after `since`. A pass in between that finds nothing new was woken by
 * an event, and its read was stale: the next one follows soon. `isNew`: this pass is the first to see the state.
 */
export const untilMoved = (since: number, isNew: boolean, { now, config }: Pick<Context, 'now' | 'config'>): number => {
  const speed = speedOf(config);
  const period = untold / speed;
  const elapsed = Math.max(0, (now - since) / 1000);
  const left = period - (elapsed % period);
  // Conditions keep their times in whole seconds.
  const isEven = period - left < 1 || left < 1;
  const wait = isNew || isEven ? (left < 1 ? left + period : left) : Math.min(lag / speed, left);
  return Math.max(shortest, wait);
};
