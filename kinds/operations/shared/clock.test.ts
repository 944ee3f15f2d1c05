import { describe, expect, it } from 'vitest';
import { deadlineOf, elapsed, elapsedSince, forgiving, type OperationClock, running, stopped } from './clock.ts';

const zero = Date.parse('2026-01-01T00:00:00Z');
const hour = 3600;
const moment = (seconds: number) => zero + seconds * 1000;

describe('the clock of an operation', () => {
  it.each([
    { rule: 'is zero before it runs', does: [], at: hour, is: 0 },
    { rule: 'counts while it runs', does: [['run', 0]], at: 90, is: 90 },
    {
      rule: 'stops while paused',
      does: [
        ['run', 0],
        ['stop', 60],
      ],
      at: 5 * hour,
      is: 60,
    },
    {
      rule: 'continues after a pause',
      does: [
        ['run', 0],
        ['stop', 60],
        ['run', 5 * hour],
      ],
      at: 5 * hour + 30,
      is: 90,
    },
    {
      rule: 'adds up several pauses',
      does: [
        ['run', 0],
        ['stop', 10],
        ['run', hour],
        ['stop', hour + 10],
        ['run', 9 * hour],
      ],
      at: 9 * hour + 10,
      is: 30,
    },
    {
      rule: 'is not reset by a repeated call',
      does: [
        ['run', 0],
        ['run', 50],
        ['stop', 60],
        ['stop', 600],
      ],
      at: hour,
      is: 60,
    },
  ] as { rule: string; does: ['run' | 'stop', number][]; at: number; is: number }[])('$rule', ({ does, at, is }) => {
    const clock = does.reduce<OperationClock | undefined>(
      (now, [what, when]) => (what === 'run' ? running(now, moment(when)) : stopped(now, moment(when))),
      undefined,
    );
    expect(elapsed(clock, moment(at))).toBe(is);
  });
  it('extends the deadline by the length of a pause', () => {
    const paused = stopped(running(undefined, moment(0)), moment(20));
    expect(deadlineOf(paused, 30)).toBeUndefined();
    expect(deadlineOf(running(paused, moment(hour)), 30)).toBe(moment(hour + 10));
  });
  it('restarts a step after a pause', () => {
    const resumed = running(stopped(running(undefined, moment(0)), moment(20)), moment(hour));
    expect(elapsedSince('2026-01-01T00:00:10Z', resumed, moment(hour + 5))).toBe(5);
    expect(elapsedSince('2026-01-01T00:00:10Z', running(undefined, moment(0)), moment(40))).toBe(30);
  });
  it.each([
    { rule: 'is not extended if a pass runs in time', noted: 600, at: 630, left: -30 },
    { rule: 'is extended when no pass ran at that time', noted: 600, at: hour, left: 300 },
    { rule: 'is not extended when a user shortened it', noted: 5 * hour, at: hour, left: 600 - hour },
    { rule: 'is not extended before it was recorded', noted: undefined, at: hour, left: 600 - hour },
  ])('a deadline $rule', ({ noted, at, left }) => {
    const started = running(undefined, moment(0));
    const text = noted === undefined ? undefined : new Date(moment(noted)).toISOString();
    const clock = forgiving(started, text, 600, moment(at));
    expect(600 - elapsed(clock, moment(at))).toBe(left);
  });
  it('extends a short deadline at most by its whole length', () => {
    const clock = forgiving(running(undefined, moment(0)), new Date(moment(30)).toISOString(), 30, moment(hour));
    expect(elapsed(clock, moment(hour))).toBe(0);
  });
});
