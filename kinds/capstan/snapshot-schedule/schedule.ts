/** The schedule of a Cluster's etcd snapshots: a duration such as `6h`, or five cron fields in UTC. Pure. */
import { parseDuration } from '../../../machinery/api/durations.ts';
import { cronFault, cronOf } from '../../common/cron.ts';

export { scheduleAnnotations } from '../../common/schedule-annotations.ts';

/** A week of a snapshot every six hours. */
export const defaultKeep = 28;
export const mostKept = 1000;

/** Seconds. A snapshot reads the whole database, so that a shorter period would burden etcd. */
const shortest = 15 * 60;
const longest = 31 * 24 * 3600;

export interface Schedule {
  /** The first time after `time` at which a snapshot is due; milliseconds since the epoch. */
  next(time: number): number;
}

/** A schedule that takes no snapshots. */
export const noSchedule = 'off';

/** Undefined for a text that is no schedule. */
export const parseSchedule = (text: string): Schedule | undefined => {
  const seconds = parseDuration(text);
  if (seconds !== undefined)
    return seconds >= shortest && seconds <= longest ? { next: (time) => time + seconds * 1000 } : undefined;
  return cronOf(text);
};

/** Why a text is no schedule; undefined for one. */
export const scheduleFault = (text: string): string | undefined => {
  if (text === noSchedule) return undefined;
  const rule =
    'must be a duration from 15m to 744h, such as 6h, five cron fields in UTC, such as "0 */6 * * *", or off';
  const schedule = parseSchedule(text);
  if (!schedule) return cronFault(text) ?? rule;
  // The densest times of a schedule repeat within a day, so that a day's runs show its shortest period.
  for (let [time, runs] = [schedule.next(0), 0]; runs < 100; runs++) {
    const following = schedule.next(time);
    if (following - time < shortest * 1000) return 'must leave at least 15m between two snapshots';
    time = following;
  }
  return undefined;
};

export const keepOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return defaultKeep;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= mostKept ? count : undefined;
};
