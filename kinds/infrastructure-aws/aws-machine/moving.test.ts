import { expect, it } from 'vitest';
import { untilMoved } from './moving.ts';

it.each([
  { rule: 'at the next multiple of the period', elapsed: 3, isNew: true, wait: 17 },
  { rule: 'at the next multiple, from a multiple', elapsed: 20, isNew: false, wait: 20 },
  { rule: 'at the second multiple, shortly before the first', elapsed: 39.5, isNew: true, wait: 20.5 },
  { rule: 'a period later after a late timer', elapsed: 40.6, isNew: false, wait: 19.4 },
  { rule: 'soon after an event that came with a stale read', elapsed: 13, isNew: false, wait: 2 },
  { rule: 'soon, and not after the timer', elapsed: 18.5, isNew: false, wait: 1.5 },
  { rule: 'in time with a slow clock', elapsed: -3, isNew: false, wait: 20 },
])('checks $rule', ({ elapsed, isNew, wait }) => {
  const now = 1_000_000;
  expect(untilMoved(now - elapsed * 1000, isNew, { now, config: {} })).toBeCloseTo(wait);
});

it.each([0, 0.1, 1, 7.3, 100])('checks more often in a faster account (after %d s)', (elapsed) => {
  const now = 1_000_000;
  for (const isNew of [true, false]) {
    const wait = untilMoved(now - elapsed * 1000, isNew, { now, config: { speed: 60 } });
    expect(wait).toBeGreaterThanOrEqual(0.25);
    expect(wait).toBeLessThan(1);
  }
});
