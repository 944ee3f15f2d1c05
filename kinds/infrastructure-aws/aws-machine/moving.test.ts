import { expect, it } from 'vitest';
import { untilMoved } from './moving.ts';

it.each([
  { rule: 'at the next even time', elapsed: 3, isNew: true, wait: 17 },
  { rule: 'at the next even time, from an even one', elapsed: 20, isNew: false, wait: 20 },
  { rule: 'at the even time after, just before one', elapsed: 39.5, isNew: true, wait: 20.5 },
  { rule: 'a period later, where a timer was late', elapsed: 40.6, isNew: false, wait: 19.4 },
  { rule: 'soon, where an event came with a stale read', elapsed: 13, isNew: false, wait: 2 },
  { rule: 'soon, and not after the timer', elapsed: 18.5, isNew: false, wait: 1.5 },
  { rule: 'before a clock that is behind', elapsed: -3, isNew: false, wait: 20 },
])('looks $rule', ({ elapsed, isNew, wait }) => {
  const now = 1_000_000;
  expect(untilMoved(now - elapsed * 1000, isNew, { now, config: {} })).toBeCloseTo(wait);
});

it.each([0, 0.1, 1, 7.3, 100])('looks as often as a faster account needs it (after %d s)', (elapsed) => {
  const now = 1_000_000;
  for (const isNew of [true, false]) {
    const wait = untilMoved(now - elapsed * 1000, isNew, { now, config: { speed: 60 } });
    expect(wait).toBeGreaterThanOrEqual(0.25);
    expect(wait).toBeLessThan(1);
  }
});
