import { describe, expect, it } from 'vitest';
import { scheduledAt, scheduleFaults } from './schedule.ts';

const own = { min: 0, max: 5 };
const at = (time: string) => Date.parse(time);
const iso = (time: number | undefined) => time && new Date(time).toISOString().replace(':00.000', '');
const workdays = '0 8 * * 1-5 timeZone=Europe/Berlin duration=10h min=20 max=30';
const daily = '0 8 * * * timeZone=Europe/Berlin duration=10h min=3';

describe('the sizes of a pool', () => {
  it.each<{ rule: string; text: string; now: string; min: number; max: number; until: string }>([
    {
      rule: 'are its own before an entry begins',
      text: daily,
      now: '2026-01-05T06:59:59.999Z',
      min: 0,
      max: 5,
      until: '2026-01-05T07:00Z',
    },
    {
      rule: 'are those of the entry from its first moment',
      text: daily,
      now: '2026-01-05T07:00:00Z',
      min: 3,
      max: 5,
      until: '2026-01-05T17:00Z',
    },
    {
      rule: 'are its own again when the entry ends',
      text: daily,
      now: '2026-01-05T17:00:00Z',
      min: 0,
      max: 5,
      until: '2026-01-06T07:00Z',
    },
    {
      rule: 'change at 08:00 on the day on which clocks go forward',
      text: daily,
      now: '2026-03-29T06:00:00Z',
      min: 3,
      max: 5,
      until: '2026-03-29T16:00Z',
    },
    {
      rule: 'change at 08:00 on the day on which clocks go back',
      text: daily,
      now: '2026-10-25T07:00:00Z',
      min: 3,
      max: 5,
      until: '2026-10-25T17:00Z',
    },
    {
      rule: 'do not change an hour early when clocks went back',
      text: daily,
      now: '2026-10-25T06:59:00Z',
      min: 0,
      max: 5,
      until: '2026-10-25T07:00Z',
    },
    {
      rule: 'last two days by the clock over a weekend of 47 hours',
      text: '0 0 * * 6 timeZone=Europe/Berlin duration=48h max=0',
      now: '2026-03-29T21:59:00Z',
      min: 0,
      max: 0,
      until: '2026-03-29T22:00Z',
    },
    {
      rule: 'last a night by the clock, although clocks change in it',
      text: '0 22 * * * timeZone=Europe/Berlin duration=10h max=1',
      now: '2026-10-25T06:30:00Z',
      min: 0,
      max: 1,
      until: '2026-10-25T07:00Z',
    },
    {
      rule: 'begin when clocks have skipped the time of the entry',
      text: '30 2 * * * timeZone=Europe/Berlin duration=1h min=1',
      now: '2026-03-29T01:00:00Z',
      min: 1,
      max: 5,
      until: '2026-03-29T02:00Z',
    },
    {
      rule: 'are in UTC by default',
      text: '0 8 * * * duration=1h min=1',
      now: '2026-07-01T08:30:00Z',
      min: 1,
      max: 5,
      until: '2026-07-01T09:00Z',
    },
    {
      rule: 'are the largest of all active entries',
      text: `${workdays}\n0 9 * * * timeZone=Europe/Berlin duration=1h min=25 max=40; 0 9 * * * duration=9h max=2`,
      now: '2026-01-05T08:30:00Z',
      min: 25,
      max: 40,
      until: '2026-01-05T09:00Z',
    },
    {
      rule: 'are its own on days that the entry leaves out',
      text: workdays,
      now: '2026-01-03T10:00:00Z',
      min: 0,
      max: 5,
      until: '2026-01-05T07:00Z',
    },
  ])('$rule', ({ text, now, min, max, until }) => {
    const { changesAt, ...sizes } = scheduledAt(text, own, at(now));
    expect({ ...sizes, until: iso(changesAt) }).toMatchObject({ min, max, until });
  });

  it('name the entries that give them', () => {
    const text = ` ${daily} \n 0  0 1 1 * duration=1h min=1`;
    expect(scheduledAt(text, own, at('2026-01-05T08:00:00Z')).entries).toEqual([daily]);
    expect(scheduledAt(text, own, at('2026-01-05T06:00:00Z')).entries).toEqual([]);
  });
  it('ignore an entry that contradicts sizes that were changed later', () => {
    const now = at('2026-01-05T08:00:00Z');
    expect(scheduledAt(daily, { min: 0, max: 2 }, now)).toMatchObject({ min: 0, max: 2, entries: [] });
  });
});

describe('admission', () => {
  const form = 'must be five cron fields with duration=, min= or max=, and timeZone=, each once';
  const ranges =
    'cron fields must be a minute 0-59, an hour 0-23, a day 1-31, a month 1-12 and a day of the week 0-7, ' +
    'such as "0 8 * * 1-5"';
  const faults = (text: string) =>
    scheduleFaults(text, own).map(({ at: entry, field, detail }) => `${entry}${field ? `.${field}` : ''}: ${detail}`);
  it('accepts entries on lines or after semicolons', () => expect(faults(`${workdays};\n\n${daily}`)).toEqual([]));
  it.each<{ rule: string; text: string; says: string }>([
    { rule: 'no entry', text: ' ; ', says: `0: ${form}` },
    {
      rule: 'four cron fields',
      text: '0 8 * * duration=1h min=1',
      says: '0: must begin with five cron fields, such as "0 8 * * 1-5"',
    },
    { rule: 'an entry without a duration', text: '0 8 * * * min=1', says: `0: ${form}` },
    { rule: 'an entry without sizes', text: '0 8 * * * duration=1h', says: `0: ${form}` },
    { rule: 'an unknown setting', text: '0 8 * * * duration=1h min=1 tz=UTC', says: `0: ${form}` },
    { rule: 'a setting twice', text: '0 8 * * * duration=1h min=1 min=2', says: `0: ${form}` },
    {
      rule: 'a cron field out of range',
      text: '0 25 * * * duration=1h min=1',
      says: `0: ${ranges}`,
    },
    { rule: 'a day of the week out of range', text: '0 8 * * 1-8 duration=1h min=1', says: `0: ${ranges}` },
    {
      rule: 'a day that never comes',
      text: '0 8 31 2 * duration=1h min=1',
      says: '0: the cron fields "0 8 31 2 *" name no day that ever comes',
    },
    {
      rule: 'an unknown time zone, in its place',
      text: `${daily}; 0 8 * * * timeZone=Europe/Bärlin duration=1h min=1`,
      says: '1.timeZone: must be a time zone such as Europe/Berlin',
    },
    {
      rule: 'a duration that is none',
      text: '0 8 * * * duration=1d min=1',
      says: '0.duration: must be a duration from 1m to 744h, such as 10h',
    },
    {
      rule: 'a size that is no number',
      text: '0 8 * * * duration=1h min=-1',
      says: '0.min: must be an integer between 0 and 2147483647',
    },
    {
      rule: 'a size of two values',
      text: '0 8 * * * duration=1h min=1=2',
      says: '0.min: must be an integer between 0 and 2147483647',
    },
    {
      rule: "a minimum above the pool's maximum",
      text: '0 8 * * * duration=1h min=6',
      says: "0.min: its maximum of 5 must not be below its minimum of 6; the maximum is the pool's own: write min=6 max=6",
    },
    {
      rule: 'a maximum below the minimum',
      text: '0 8 * * * duration=1h min=6 max=5',
      says: '0.max: its maximum of 5 must not be below its minimum of 6',
    },
    { rule: 'too many entries', text: Array(51).fill(daily).join(';'), says: '50: must not exceed 50 entries' },
  ])('refuses $rule', ({ text, says }) => expect(faults(text)).toEqual([says]));
});
