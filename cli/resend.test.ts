import { describe, expect, it } from 'vitest';
import { resendAfter } from './resend.ts';

describe('a refused request', () => {
  it.each([
    { rule: 'waits as long as the server asks', method: 'POST', code: 429, retryAfter: '3', is: 3_000 },
    { rule: 'waits half a minute at most', method: 'GET', code: 429, retryAfter: '600', is: 30_000 },
    {
      rule: 'is sent again after a 5xx of a server that has not begun',
      method: 'POST',
      code: 503,
      retryAfter: '1',
      is: 1_000,
    },
    {
      rule: 'is sent again when it reads and no function is free',
      method: 'GET',
      code: 503,
      retryAfter: undefined,
      is: 1_000,
    },
    { rule: 'waits longer each time', method: 'GET', code: 503, retryAfter: undefined, attempts: 2, is: 4_000 },
    {
      rule: 'stands after three attempts that the server did not ask for',
      method: 'GET',
      code: 503,
      retryAfter: undefined,
      attempts: 3,
      is: undefined,
    },
    { rule: 'stands after five attempts', method: 'GET', code: 503, retryAfter: '1', attempts: 5, is: undefined },
    {
      rule: 'stands when it writes and may have been carried out',
      method: 'PATCH',
      code: 503,
      retryAfter: undefined,
      is: undefined,
    },
    { rule: 'stands when the server has decided', method: 'GET', code: 403, retryAfter: '1', is: undefined },
    { rule: 'stands when the server failed', method: 'GET', code: 500, retryAfter: undefined, is: undefined },
    {
      rule: 'ignores a date in Retry-After',
      method: 'PATCH',
      code: 429,
      retryAfter: 'Fri, 27 Nov 2026',
      is: undefined,
    },
  ])('$rule', ({ method, code, retryAfter, attempts = 0, is }) => {
    expect(resendAfter(method, { code, retryAfter }, attempts)).toBe(is);
  });
});
