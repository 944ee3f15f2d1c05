import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { checked, deadlineOf, elapsed, elapsedSince, type OperationClock, running, stopped } from './clock.ts';

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
    { rule: 'the time between checks in time', checks: [300, 600, 900], at: 1000, counts: 1000 },
    { rule: 'a check that is a little late', checks: [300, 850], at: 900, counts: 900 },
    { rule: 'no outage, but one interval of it', checks: [300, 300 + 3 * hour], at: 3 * hour + 400, counts: 700 },
    { rule: 'no outage since the beginning', checks: [3 * hour], at: 3 * hour + 10, counts: 310 },
    { rule: 'none of two outages', checks: [hour, 2 * hour], at: 2 * hour, counts: 600 },
  ])('counts $rule', ({ checks, at, counts }) => {
    const began = { clock: running(undefined, moment(0)), deadline: timestamp(moment(4 * hour)) };
    const { clock, deadline } = checks.reduce(
      (before, when) => checked(before, moment(when)),
      began as OperationStatus,
    );
    expect(elapsed(clock, moment(at))).toBe(counts);
    expect(Date.parse(deadline!)).toBe(deadlineOf(clock!, 4 * hour));
    expect(elapsedSince('2026-01-01T00:00:00Z', clock, moment(at))).toBe(counts);
  });
  it('notes a check only once in an interval, so that a short step writes none', () => {
    const status = { clock: running(undefined, moment(0)) };
    expect(checked(status, moment(299))).toBe(status);
  });
});
