/**
 * Changes that the controller requested from AWS and that are not certain yet. It announces every
 * change in an annotation before it makes it, so that neither a crash between a call and its
 * observation nor a lagging describe call creates a resource twice.
 */
import type { Action, Context, Failure } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { isUnclear } from '../../ports/cloud/index.ts';
import { isThrottled } from '../../ports/cloud-limits.ts';
import { isSpentToken, isTokenOfTerminated, saysNothingOfToken } from './client-token.ts';
import { digest } from './tags.ts';

/** Operations in progress: see awaiting.ts. */
export const awaitingAnnotation = 'capstan.dev/awaiting';
/** When a change was first announced and last tried, in milliseconds since the epoch. */
export interface Announcement {
  since: number;
  tried: number;
  /** The resource that it created was visible when its deletion began. */
  seen?: true;
  /** Fingerprint of the call that the client token stands for. */
  request?: string;
  /** The first of the repeated calls since the last failure, in milliseconds since the epoch. */
  accepted?: number;
}
export type Pending = Record<string, Announcement>;

export interface Step {
  key: string;
  /**
   * Not idempotent: EC2 has neither a token nor a unique name that would refuse the second call.
   */
  once?: true;
  /** EC2 recognises a second call by its client token. */
  token?: true;
  /**
   * Nothing waits for it. A refused change backs off, and after an hour is retried only together
   * with other work.
   */
  optional?: true;
  /**
   * `since`: when the change was announced. It is the same until the controller gives up, so client
   * tokens can be derived from it.
   */
  actions: (since: number) => Action[];
}

export interface Schedule {
  pending: Pending;
  actions: Action[];
  /** Seconds until the next check; undefined when nothing is awaited. */
  wait: number | undefined;
}

// Describe calls lag by seconds, and may show a resource and then miss it. After this time they are
// consistent.
export const visibleWithin = 60_000;
/**
 * Until then one describe call may show a resource and the next two miss it; that does not mean
 * that it is gone.
 */
export const steadyAfter = 20_000;
/** A pass may make its announced change for as long as its lease lasts. */
const madeWithin = 120_000;
/** Anything requested before then is visible, whichever worker requested it. */
export const shownWithin = madeWithin + visibleWithin;
const certainAfter = ({ seen }: Announcement) => (seen ? steadyAfter : visibleWithin);
const hiddenFor = ({ seen }: Announcement) => (seen ? steadyAfter : shownWithin);
const repeatAfter = 5_000;

/** Seconds: grows from one to `most` with the time that an operation has been awaited. */
export const pollDelay = (since: number, now: number, most = 15): number =>
  Math.min(most, Math.max(1, Math.floor((now - since) / 4_000)));

/**
 * Seconds until an instance is described again without an event; EventBridge usually reports a
 * state change sooner.
 */
export const pollInterval = 20;

const soon = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Seconds until a refused read is retried; jittered, because many reads are refused at once. */
export const rereadAfter = ({ random }: Pick<Context, 'random'>): number => random.pick(soon);

const shares = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Seconds until a retry after a refusal that a user or time must lift; jittered. */
export const retryAfter = ({ attempts, random }: Pick<Context, 'attempts' | 'random'>): number =>
  Math.ceil(Math.min(30, 2 ** Math.min(attempts, 5)) * random.pick(shares));

/**
 * A read that fails with such a code is retried and says nothing about the resource. `reason`:
 * action, code, message.
 */
export const isPassing = (reason: string): boolean => {
  const code = codeOf(reason);
  return isUnclear(code) || isThrottled(code);
};
/** The code of a failed call. `reason`: action, code, message. */
export const codeOf = (reason: string): string => reason.split(': ')[1] ?? '';
/** Whether the call certainly had no effect. A call to an endpoint that does not exist had none. */
export const isDefinite = ({ code }: Pick<Failure, 'code'>): boolean => !isUnclear(code);

/** Resources that a user names and that may never exist. */
const isNamed = /AMI|KeyPair|Ipam/;
/**
 * Whether a call failed because it depends on a resource created moments ago, which AWS may not
 * show everywhere yet.
 */
export const isTooEarly = ({ code, group, at }: Pick<Failure, 'code' | 'group' | 'at'>, before: Pending): boolean =>
  code.endsWith('NotFound') &&
  !isNamed.test(code) &&
  Object.entries(before).some(([key, { since }]) => key !== group && at - since < visibleWithin);

/**
 * Whether a call was only throttled: many clusters are created at once. `since`: when it was
 * announced.
 */
export const isHeldBack = ({ code, at }: Pick<Failure, 'code' | 'at'>, since: number | undefined): boolean =>
  isThrottled(code) && since !== undefined && at - since < visibleWithin;

const taken = /Duplicate|AlreadyExists|AlreadyAssociated|^InvalidSubnet\.Conflict$|\.InUse$/;
/**
 * Whether a call asked for what exists already and a lagging describe call missed. After a minute,
 * something else has the name or the block. `since`: when the call was announced.
 */
export const isAlreadyThere = ({ code, at }: Pick<Failure, 'code' | 'at'>, since: number | undefined): boolean =>
  taken.test(code) && since !== undefined && at - since < visibleWithin;

/** When the failure was, never in the future: another worker's clock may run ahead. */
export const triedAt = (now: number, failure: Pick<Failure, 'at'> | undefined): number =>
  failure !== undefined && failure.at > now ? failure.at + 1 : now;

const isAnnouncement = (value: unknown): value is Announcement =>
  typeof (value as Announcement | null)?.since === 'number' && typeof (value as Announcement).tried === 'number';

/**
 * The pending changes in an annotation. Entries that users wrote and that are no announcements do
 * not count.
 */
export const pendingOf = (annotations: Record<string, string> | undefined): Pending => {
  try {
    const entries = Object.entries(JSON.parse(annotations?.[pendingAnnotation] ?? '{}') as Record<string, unknown>);
    return Object.fromEntries(entries.filter((entry): entry is [string, Announcement] => isAnnouncement(entry[1])));
  } catch {
    return {};
  }
};

/** Sorted, so that equal content gives an equal annotation; null when nothing is pending. */
export const pendingText = (pending: Pending): string | null => {
  const entries = Object.entries(pending).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length ? JSON.stringify(Object.fromEntries(entries)) : null;
};

/**
 * The annotation for the write before the calls. Outdated announcements are no reason for a write
 * of their own: they mean nothing any more, and the next write (`anyway`) removes them.
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

/** Whether what was requested may exist without being visible. */
export const isRecent = (pending: Pending, key: string, now: number): boolean =>
  pending[key] !== undefined && now - pending[key].tried < hiddenFor(pending[key]);

/**
 * Which steps to take now. `wanted`: not observed as desired. `underway`: observed, but not
 * finished. `forget`: known to have had no effect.
 */
export const schedule = (
  before: Pending,
  wanted: readonly Step[],
  underway: readonly string[],
  now: number,
  failure?: Failure,
  forget: readonly string[] = [],
  /** Seconds until the next check of an operation in progress; undefined when nothing checks it. */
  waitFor: (key: string, since: number) => number | undefined = (_key, since) => pollDelay(since, now),
  /** A simulated account that runs faster is consistent sooner. */
  speed = 1,
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
    // Describe calls would show a result of the announced call by now, so announce a new one: the
    // old client token can only name a resource that came and went.
    const request = step.token && requestOf(step);
    const fresh =
      !announced ||
      (step.optional ? isOver(announced, now) : !isRecent(before, step.key, now)) ||
      (request !== undefined && isTokenOver(step, announced, request, now, failure));
    if (fresh || mayRepeat(step, announced, request, now, failure)) {
      const since = fresh ? now : announced.since;
      const accepted = request && !fresh && !hasFailed(announced, failure) && (announced.accepted ?? announced.tried);
      pending[step.key] = {
        since,
        tried: triedAt(now, failure),
        ...(request && { request }),
        ...(accepted && { accepted }),
      };
      const { key: group, optional } = step;
      actions.push(...step.actions(since).map((action) => ({ ...action, group, ...(optional && { optional }) })));
    } else {
      pending[step.key] = announced;
      waits.push(step.optional ? untilRetried(announced, now) : pollDelay(announced.since, now));
    }
  }
  // One check at the time when all observations are certain.
  let certain = 0;
  for (const [key, announced] of Object.entries(before)) {
    const left = announced.tried + certainAfter(announced) / speed - now;
    if (pending[key] || forget.includes(key) || left <= 0) continue;
    pending[key] = announced;
    certain = Math.max(certain, Math.ceil(left / 1000));
  }
  if (certain > 0) waits.push(certain);
  const wait = Math.min(...waits);
  return { pending, actions, wait: Number.isFinite(wait) ? wait : undefined };
};

const longestPause = 3_600_000;
/** The pause before the next try: as long as the step has been tried so far, in milliseconds. */
const pauseOf = ({ since, tried }: Announcement): number =>
  Math.min(longestPause, Math.max(repeatAfter, tried - since));
const isResting = (announced: Announcement): boolean => pauseOf(announced) === longestPause;
/** Describe calls would show the result by now, or the step was abandoned a day ago. */
const isOver = (announced: Announcement, now: number): boolean =>
  now - announced.tried > (isResting(announced) ? 24 * longestPause : pauseOf(announced) + visibleWithin);
/**
 * Whether a change has been refused for so long that the controller stopped retrying it by itself.
 */
export const isAbandoned = (pending: Pending, key: string): boolean =>
  pending[key] !== undefined && isResting(pending[key]);
const untilRetried = (announced: Announcement, now: number): number => {
  const left = announced.tried + pauseOf(announced) - now;
  return isResting(announced) ? Number.POSITIVE_INFINITY : Math.ceil(left / 1000);
};

const requestOf = ({ actions }: Step): string => digest(16, JSON.stringify(actions(0)));

const hasFailed = ({ tried }: Announcement, failure: Failure | undefined): failure is Failure =>
  failure !== undefined && failure.at >= tried;

/** With which code AWS itself refused the announced call. */
const refusalOf = ({ key }: Step, announced: Announcement, failure: Failure | undefined): string | undefined =>
  hasFailed(announced, failure) && failure.group === key && isDefinite(failure) ? failure.code : undefined;

/**
 * When EC2 accepts a call for this long and describe calls show nothing, its token stands for a
 * resource that came and went. Longer than a few workers that crash before they make the call.
 */
const acceptedInVain = 600_000;

/** Whether the announced token certainly stands for no resource, now and later. */
const isTokenOver = (
  step: Step,
  announced: Announcement,
  request: string,
  now: number,
  failure: Failure | undefined,
): boolean => {
  const refusal = refusalOf(step, announced, failure);
  if (refusal === undefined) return now - (announced.accepted ?? now) >= acceptedInVain;
  if (isTokenOfTerminated(refusal)) return true;
  return announced.request !== request && !isSpentToken(refusal) && !saysNothingOfToken(refusal);
};

const mayRepeat = (
  step: Step,
  announced: Announcement,
  request: string | undefined,
  now: number,
  failure: Failure | undefined,
): boolean => {
  const { tried } = announced;
  if (step.optional) return now - tried >= pauseOf(announced);
  const refusal = refusalOf(step, announced, failure);
  if (step.once) return refusal !== undefined;
  // EC2 would refuse the changed call, which may have created a resource as it was announced.
  if (request !== undefined && request !== (announced.request ?? request)) return false;
  if (refusal !== undefined && isSpentToken(refusal)) return false;
  return hasFailed(announced, failure) || now - tried >= repeatAfter;
};
