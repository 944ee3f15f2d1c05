import { expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

it('admits a burst, then a steady rate, and never saves more than one burst', () => {
  let time = 0;
  const { admits } = createRateLimit(() => time);
  const throttle = { rate: 20, burst: 5 };
  const admitted = (requests: number) =>
    Array.from({ length: requests }, () => admits(throttle)).filter(Boolean).length;
  expect(admitted(30)).toBe(5);
  time += 100;
  expect(admitted(30)).toBe(2);
  time += 60_000;
  expect(admitted(30)).toBe(5);
  time += 1_000;
  expect(admits({ rate: 20, burst: 1 })).toBe(true);
  expect(admits({ rate: 20, burst: 1 })).toBe(false);
});
