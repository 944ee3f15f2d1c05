import { expect, it } from 'vitest';
import { createClientLimits } from './client-limits.ts';

const from = (address?: string) =>
  new Request('https://capstan.example/api', { ...(address && { headers: { 'x-forwarded-for': address } }) });
const user = (username: string) => ({ username, groups: [] });

/** How many of these are admitted. */
const admitted = (times: number, take: () => void): number => {
  let count = 0;
  for (let n = 0; n < times; n++)
    try {
      take();
      count++;
    } catch (error) {
      expect(error).toMatchObject({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } });
    }
  return count;
};

it.each([
  {
    rule: 'an address',
    take: (limits: ReturnType<typeof createClientLimits>, name: string) => limits.admit(from(name)),
  },
  {
    rule: 'a user',
    take: (limits: ReturnType<typeof createClientLimits>, name: string) => limits.admitUser(user(name)),
  },
])('limits $rule, and leaves others theirs', ({ take }) => {
  let now = 0;
  const rate = { rate: 1, burst: 3 };
  const limits = createClientLimits({ perAddress: rate, perUser: rate }, { now: () => now });
  expect(admitted(9, () => take(limits, 'a'))).toBe(3);
  expect(admitted(9, () => take(limits, 'b'))).toBe(3);
  now += 2000;
  expect(admitted(9, () => take(limits, 'a'))).toBe(2);
});

it('limits no request without an address, and none without rates', () => {
  const clock = { now: () => 0 };
  expect(admitted(9, () => createClientLimits({}, clock).admit(from('a')))).toBe(9);
  const limits = createClientLimits({ perAddress: { rate: 1, burst: 1 } }, clock);
  expect(admitted(9, () => limits.admit(from()))).toBe(9);
});
