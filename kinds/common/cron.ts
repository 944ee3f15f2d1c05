/** Times by five cron fields in a time zone. Pure. */
import { Cron } from 'croner';

const minute = 60_000;

/** Times in milliseconds since the epoch. */
export interface CronTimes {
  /** The first time after `time`; infinite if none comes. */
  next(time: number): number;
  /** The last time that is not after `time`; undefined before the first. */
  last(time: number): number | undefined;
}

const hasFiveFields = (text: string): boolean => text.trim().split(/\s+/).length === 5;

/** Why five fields are no times; undefined for a text of another form. */
export const cronFault = (text: string): string | undefined => {
  if (!hasFiveFields(text)) return undefined;
  try {
    const isEmpty = !new Cron(text.trim(), { timezone: 'UTC', paused: true }).nextRun(new Date(0));
    return isEmpty ? `the cron fields ${JSON.stringify(text.trim())} name no day that ever comes` : undefined;
  } catch {
    return (
      'cron fields must be a minute 0-59, an hour 0-23, a day 1-31, a month 1-12 and a day of the week 0-7, ' +
      'such as "0 8 * * 1-5"'
    );
  }
};

/** Undefined for a text that is no cron expression, or whose times never come, such as 31 February. */
export const cronOf = (text: string, timeZone = 'UTC'): CronTimes | undefined => {
  if (!hasFiveFields(text)) return undefined;
  try {
    const cron = new Cron(text.trim(), { timezone: timeZone, paused: true });
    if (!cron.nextRun(new Date(0))) return undefined;
    return {
      next: (time) => cron.nextRun(new Date(time))?.getTime() ?? Number.POSITIVE_INFINITY,
      // Runs are whole minutes, and croner leaves out the time that it starts from.
      last: (time) => cron.previousRuns(1, new Date((Math.floor(time / minute) + 1) * minute))[0]?.getTime(),
    };
  } catch {
    return undefined;
  }
};

export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/**
 * The time at which clocks in the time zone show `duration` milliseconds more than at `time`, so that
 * a day lasts from midnight to midnight even where clocks are changed. A time that clocks skip is
 * moved on by as much as they skip.
 */
export const laterByClock = (time: number, duration: number, timeZone: string): number => {
  const clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(time);
  const later = new Date(Date.parse(`${clock.replace(' ', 'T')}Z`) + duration).toISOString().slice(0, 19);
  const cron = new Cron(later, { timezone: timeZone, paused: true });
  return cron.nextRun(new Date(time))?.getTime() ?? time + duration;
};
