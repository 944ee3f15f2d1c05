/**
 * What is asked of AWS and not seen yet. Every change is announced in an annotation before it is made, so that neither a
 * crash between a call and its observation nor a lagging describe call makes a thing twice.
 */
import type { Action, Failure } from '../../machinery/api/reconcile.ts';

export const pendingAnnotation = 'capstan.dev/pending';
/** What was announced, and when (milliseconds since the epoch). */
export type Pending = Record<string, number>;

export interface Step {
  key: string;
  /** Done twice, it makes two things: EC2 has neither a token nor a name that would refuse the second. */
  once?: true;
  /** `since`: when it was announced; the same until it is given up, so tokens can be made from it. */
  actions: (since: number) => Action[];
}

export interface Schedule {
  pending: Pending;
  actions: Action[];
  /** Seconds until the next look; undefined when nothing is awaited. */
  wait: number | undefined;
}

// Describe calls lag by seconds; what was not seen after this long was never made.
const visibleWithin = 60_000;
const repeatAfter = 5_000;
// After this long a client token may stand for something that came and went.
const tokenLife = 10 * 60_000;

/** Grows from one second to fifteen with the time that something has been awaited. */
export const patience = (since: number, now: number): number =>
  Math.min(15, Math.max(1, Math.floor((now - since) / 4_000)));

// The caller cannot tell whether a call that ended so has had its effect.
const ambiguous = /Internal|Unavailable|Timeout|TimedOut|Unknown|Network|ECONN|EPIPE|Socket/i;
const definite = (failure: Failure): boolean => !ambiguous.test(failure.code);

export const pendingOf = (annotations: Record<string, string> | undefined): Pending => {
  try {
    return JSON.parse(annotations?.[pendingAnnotation] ?? '{}') as Pending;
  } catch {
    // Somebody edited it; as if everything had just been announced would be a guess, as if nothing had would be another.
    return {};
  }
};

/** Sorted, so that equal content is an equal annotation; null when nothing is pending. */
export const pendingText = (pending: Pending): string | null => {
  const entries = Object.entries(pending).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length ? JSON.stringify(Object.fromEntries(entries)) : null;
};

export const unseen = (pending: Pending, now: number): string[] =>
  Object.keys(pending).filter((key) => now - pending[key]! < visibleWithin);

/**
 * Which steps to take now. `wanted`: what is not observed to be so; `underway`: observed, but not finished.
 */
export const schedule = (
  before: Pending,
  wanted: readonly Step[],
  underway: readonly string[],
  now: number,
  failure: Failure | undefined,
): Schedule => {
  const pending: Pending = {};
  const actions: Action[] = [];
  let wait: number | undefined;
  const await_ = (since: number) => {
    wait = Math.min(wait ?? 15, patience(since, now));
  };
  for (const key of underway) {
    pending[key] = before[key] ?? now;
    await_(pending[key]);
  }
  for (const step of wanted) {
    const announced = before[step.key];
    const since = announced === undefined || stale(step, announced, now) ? now : announced;
    pending[step.key] = since;
    if (announced === undefined || since !== announced || mayRepeat(step, since, now, failure))
      actions.push(...step.actions(since).map((action) => ({ ...action, group: step.key })));
    else await_(since);
  }
  return { pending, actions, wait };
};

const stale = (step: Step, announced: number, now: number): boolean =>
  now - announced >= (step.once ? visibleWithin : tokenLife);

const mayRepeat = (step: Step, since: number, now: number, failure: Failure | undefined): boolean => {
  const failed = failure !== undefined && failure.at >= since;
  if (step.once) return failed && failure.group === step.key && definite(failure);
  return failed || now - since >= repeatAfter;
};
