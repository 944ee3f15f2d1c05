/**
 * The schedule of a pool: sizes that replace its own for a while. An entry is five cron fields with
 * `duration=`, `timeZone=`, `min=` and `max=`; entries are separated by a newline or a semicolon. Pure.
 */
import { parseDuration } from '../../../machinery/api/durations.ts';
import { type CronTimes, cronFault, cronOf, isTimeZone, laterByClock } from '../cron.ts';
import { type PoolBounds, size } from './annotations.ts';
import { type EntryFault, entryTexts, faultsIn, sizesOf } from './entries.ts';
import { pairOf } from './pair.ts';

/** Seconds. */
const shortest = 60;
const longest = 31 * 24 * 3600;
const mostEntries = 50;

type Settings = { timeZone?: string; duration?: string; min?: string; max?: string };
type Name = keyof Settings;
const names: readonly string[] = ['timeZone', 'duration', 'min', 'max'] satisfies Name[];

export type Entry = {
  text: string;
  times: CronTimes;
  timeZone: string;
  /** Milliseconds. */
  duration: number;
  min?: number;
  max?: number;
};

const durationOf = (text: string): number | undefined => {
  const seconds = parseDuration(text);
  return seconds !== undefined && seconds >= shortest && seconds <= longest ? seconds * 1000 : undefined;
};

const settingRules: Record<Name, { isValid: (text: string) => boolean; detail: string }> = {
  timeZone: { isValid: isTimeZone, detail: 'must be a time zone such as Europe/Berlin' },
  duration: {
    isValid: (text) => durationOf(text) !== undefined,
    detail: 'must be a duration from 1m to 744h, such as 10h',
  },
  min: { isValid: (text) => size.parse(text) !== undefined, detail: size.rule },
  max: { isValid: (text) => size.parse(text) !== undefined, detail: size.rule },
};

const form = 'must be five cron fields with duration=, min= or max=, and timeZone=, each once';

const settingsIn = (tokens: readonly string[]): Settings | undefined => {
  const pairs = tokens.map(pairOf);
  const known = new Set(pairs.map(([name]) => name));
  const isKnown = pairs.every(([name, value]) => names.includes(name) && value !== undefined);
  return isKnown && known.size === pairs.length ? Object.fromEntries(pairs) : undefined;
};

/** An entry, or why it is none. */
const parseEntry = (text: string, at: number): Entry | EntryFault => {
  const tokens = text.split(/\s+/);
  const fields = tokens.filter((token) => !token.includes('='));
  const settings = settingsIn(tokens.slice(fields.length));
  if (!settings) return { at, value: text, detail: form };
  for (const [name, value] of Object.entries(settings) as [Name, string][])
    if (!settingRules[name].isValid(value)) return { at, field: name, value, detail: settingRules[name].detail };
  const { timeZone = 'UTC', min, max } = settings;
  const [duration, times] = [durationOf(settings.duration ?? ''), cronOf(fields.join(' '), timeZone)];
  const fault = cronFault(fields.join(' ')) ?? 'must begin with five cron fields, such as "0 8 * * 1-5"';
  if (!times) return { at, value: text, detail: fault };
  if (duration === undefined || (min === undefined && max === undefined)) return { at, value: text, detail: form };
  return {
    text: tokens.join(' '),
    times,
    timeZone,
    duration,
    ...(min !== undefined && { min: Number(min) }),
    ...(max !== undefined && { max: Number(max) }),
  };
};

const isEntry = (one: Entry | EntryFault): one is Entry => 'times' in one;

export const scheduleFaults = (text: string, own: PoolBounds | undefined): EntryFault[] =>
  faultsIn(text, own, { parse: parseEntry, isEntry, form, most: mostEntries });

/** Sizes with what the schedule says of them. */
export type Scheduled = PoolBounds & {
  /** The active entries. */
  entries: string[];
  /** When an entry begins or ends next. */
  changesAt?: number;
};

/**
 * The sizes of a pool at a time. Active entries replace the pool's own; of several at a time the
 * largest minimum and the largest maximum count.
 */
export const scheduledAt = (text: string, own: PoolBounds, now: number): Scheduled => {
  const entries = entryTexts(text).map(parseEntry).filter(isEntry);
  const active = entries.flatMap((entry) => {
    const start = entry.times.last(now);
    const end = start === undefined ? now : laterByClock(start, entry.duration, entry.timeZone);
    const sizes = sizesOf(entry, own);
    // A stored entry that contradicts sizes that were changed later is ignored.
    return end > now && sizes.max >= sizes.min ? [{ ...sizes, end, text: entry.text }] : [];
  });
  const changes = [...active.map(({ end }) => end), ...entries.map(({ times }) => times.next(now))];
  const changesAt = Math.min(...changes);
  const sizes =
    active.length === 0
      ? own
      : { min: Math.max(...active.map(({ min }) => min)), max: Math.max(...active.map(({ max }) => max)) };
  return {
    ...sizes,
    entries: active.map((one) => one.text),
    ...(Number.isFinite(changesAt) && { changesAt }),
  };
};
