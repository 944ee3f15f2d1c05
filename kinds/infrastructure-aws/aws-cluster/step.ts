/**
 * What is asked of AWS and not certain yet. Every change is announced in an annotation before it is made, so that neither a
 * crash between a call and its observation nor a lagging describe call makes a thing twice.
 */
import type { Action, Context, Failure } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { isUnclear } from '../../ports/cloud.ts';
import { isThrottled } from '../../ports/cloud-limits.ts';

/** What is left to wait for: see awaiting.ts. */
export const awaitingAnnotation = 'capstan.dev/awaiting';
/** When a change was first announced and last tried, in milliseconds since the epoch. */
export interface Announcement {
  since: number;
  tried: number;
  /** What it made was in sight when it was to be removed. */
  seen?: true;
}
export type Pending = Record<string, Announcement>;

export interface Step {
  key: string;
  /** Done twice, it makes two things: EC2 has neither a token nor a name that would refuse the second. */
  once?: true;
  /** Nothing waits for it: what is refused is tried ever more seldom, and after an hour only when something else is looked for. */
  optional?: true;
  /** `since`: when it was announced; the same until it is given up, so tokens can be made from it. */
  actions: (since: number) => Action[];
}

export interface Schedule {
  pending: Pending;
  actions: Action[];
  /** Seconds until the next look; undefined when nothing is awaited. */
  wait: number | undefined;
}

// Describe calls lag by seconds, and may show a thing and then miss it again; after this long they tell the truth.
export const visibleWithin = 60_000;
/** Until then one describe call may show a thing, and the next two miss it: no reason to think that it is gone. */
export const steadyAfter = 20_000;
/** As long as its lease, a pass may still make the change that it announced. */
const madeWithin = 120_000;
/** What was asked for before then is in sight, by whomever. */
export const shownWithin = madeWithin + visibleWithin;
const certainAfter = ({ seen }: Announcement) => (seen ? steadyAfter : visibleWithin);
const hiddenFor = ({ seen }: Announcement) => (seen ? steadyAfter : shownWithin);
const repeatAfter = 5_000;

/** Seconds: grows from one to `most` with the time that something has been awaited. */
export const pollDelay = (since: number, now: number, most = 15): number =>
  Math.min(most, Math.max(1, Math.floor((now - since) / 4_000)));

/** Seconds after which an instance is looked at that no event told of: one that changes its state usually does. */
export const pollInterval = 20;

const soon = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Seconds until a read that was refused is made again; drawn, for many are refused at once. */
export const rereadAfter = ({ random }: Pick<Context, 'random'>): number => random.pick(soon);

const shares = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Seconds until a refusal that a person or time must lift is tried again; drawn, too. */
export const retryAfter = ({ attempts, random }: Pick<Context, 'attempts' | 'random'>): number =>
  Math.ceil(Math.min(30, 2 ** Math.min(attempts, 5)) * random.pick(shares));

/** A read that failed so is made again, and says nothing about what was to be read. `reason`: action, code, message. */
export const isPassing = (reason: string): boolean => {
  const code = reason.split(': ')[1] ?? '';
  return isUnclear(code) || isThrottled(code);
};
/** Whether the caller can tell that the call had no effect; one to an endpoint that is not there had none. */
export const isDefinite = ({ code }: Pick<Failure, 'code'>): boolean => !isUnclear(code);

/** A cluster may name what is not there at all, and never will be. */
const isNamed = /AMI|KeyPair|Ipam/;
/** Whether a call failed because it builds on what was made a moment ago: who is asked next may not know of it yet. */
export const isTooEarly = ({ code, group, at }: Pick<Failure, 'code' | 'group' | 'at'>, before: Pending): boolean =>
  code.endsWith('NotFound') &&
  !isNamed.test(code) &&
  Object.entries(before).some(([key, { since }]) => key !== group && at - since < visibleWithin);

/** Whether a call only waits for its turn: many are made at once when many clusters are. `since`: when it was announced. */
export const isHeldBack = ({ code, at }: Pick<Failure, 'code' | 'at'>, since: number | undefined): boolean =>
  isThrottled(code) && since !== undefined && at - since < visibleWithin;

/** A failure that another worker's clock dated later is one of before, too. */
export const triedAt = (now: number, failure: Pick<Failure, 'at'> | undefined): number =>
  failure !== undefined && failure.at > now ? failure.at + 1 : now;

const isAnnouncement = (value: unknown): value is Announcement =>
  typeof (value as Announcement | null)?.since === 'number' && typeof (value as Announcement).tried === 'number';

/** What an annotation says is pending; what somebody wrote into it that is no announcement does not count. */
export const pendingOf = (annotations: Record<string, string> | undefined): Pending => {
  try {
    const entries = Object.entries(JSON.parse(annotations?.[pendingAnnotation] ?? '{}') as Record<string, unknown>);
    return Object.fromEntries(entries.filter((entry): entry is [string, Announcement] => isAnnouncement(entry[1])));
  } catch {
    return {};
  }
};

/** Sorted, so that equal content is an equal annotation; null when nothing is pending. */
export const pendingText = (pending: Pending): string | null => {
  const entries = Object.entries(pending).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length ? JSON.stringify(Object.fromEntries(entries)) : null;
};

/**
 * The annotation, for the write that goes before the calls. That announcements have grown old is no reason to write: they
 * mean nothing any more, and go with the next write of something else (`anyway`).
 */
export const announce = (
  annotations: Record<string, string> | undefined,
  pending: Pending,
  anyway = false,
): Record<string, string | null> => {
  const before = pendingOf(annotations);
  const isNews = ([key, { since, tried }]: [string, Announcement]) =>
    before[key]?.since !== since || before[key].tried !== tried;
  const text = pendingText(pending);
  const differs = (annotations?.[pendingAnnotation] ?? null) !== text;
  return differs && (anyway || Object.entries(pending).some(isNews)) ? { [pendingAnnotation]: text } : {};
};

/** Whether what was asked for may exist without being visible. */
export const isRecent = (pending: Pending, key: string, now: number): boolean =>
  pending[key] !== undefined && now - pending[key].tried < hiddenFor(pending[key]);

/**
 * Which steps to take now. `wanted`: what is not observed to be so; `underway`: observed, but not finished; `forget`: what
 * is known to have come to nothing.
 */
export const schedule = (
  before: Pending,
  wanted: readonly Step[],
  underway: readonly string[],
  now: number,
  failure?: Failure,
  forget: readonly string[] = [],
  /** Seconds until the next look at what is under way; undefined when nobody looks for it. */
  waitFor: (key: string, since: number) => number | undefined = (_key, since) => pollDelay(since, now),
): Schedule => {
  const pending: Pending = {};
  const actions: Action[] = [];
  const waits: number[] = [];
  for (const key of underway) {
    pending[key] = before[key] ?? { since: now, tried: now };
    waits.push(waitFor(key, pending[key].since) ?? Number.POSITIVE_INFINITY);
  }
  for (const step of wanted) {
    const announced = forget.includes(step.key) ? undefined : before[step.key];
    // By now describe calls would show what came of it. So its token, if anything, stands for what came and went.
    const fresh = !announced || (step.optional ? isOver(announced, now) : !isRecent(before, step.key, now));
    if (fresh || mayRepeat(step, announced, now, failure)) {
      const since = fresh ? now : announced.since;
      pending[step.key] = { since, tried: triedAt(now, failure) };
      const { key: group, optional } = step;
      actions.push(...step.actions(since).map((action) => ({ ...action, group, ...(optional && { optional }) })));
    } else {
      pending[step.key] = announced;
      waits.push(step.optional ? untilRetried(announced, now) : pollDelay(announced.since, now));
    }
  }
  // One look when all of them are certain: what was seen of them was the truth, or is seen to be otherwise.
  let certain = 0;
  for (const [key, announced] of Object.entries(before)) {
    const left = announced.tried + certainAfter(announced) - now;
    if (pending[key] || forget.includes(key) || left <= 0) continue;
    pending[key] = announced;
    certain = Math.max(certain, Math.ceil(left / 1000));
  }
  if (certain > 0) waits.push(certain);
  const wait = Math.min(...waits);
  return { pending, actions, wait: Number.isFinite(wait) ? wait : undefined };
};

const longestPause = 3_600_000;
/** As long as it was tried before; milliseconds. */
const pauseOf = ({ since, tried }: Announcement): number =>
  Math.min(longestPause, Math.max(repeatAfter, tried - since));
const isResting = (announced: Announcement): boolean => pauseOf(announced) === longestPause;
/** It came about long ago, or was let rest for a day. */
const isOver = (announced: Announcement, now: number): boolean =>
  now - announced.tried > (isResting(announced) ? 24 * longestPause : pauseOf(announced) + visibleWithin);
/** Whether something has been refused for so long that nobody looks for it any more. */
export const isAbandoned = (pending: Pending, key: string): boolean =>
  pending[key] !== undefined && isResting(pending[key]);
const untilRetried = (announced: Announcement, now: number): number => {
  const left = announced.tried + pauseOf(announced) - now;
  return isResting(announced) ? Number.POSITIVE_INFINITY : Math.ceil(left / 1000);
};

const mayRepeat = (step: Step, announced: Announcement, now: number, failure: Failure | undefined): boolean => {
  const { tried } = announced;
  if (step.optional) return now - tried >= pauseOf(announced);
  const failed = failure !== undefined && failure.at >= tried;
  if (step.once) return failed && failure.group === step.key && isDefinite(failure);
  return failed || now - tried >= repeatAfter;
};
