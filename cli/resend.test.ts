import { describe, expect, it } from 'vitest';
import { resendAfter } from './resend.ts';

describe('a failed request', () => {
  it.each([
    { rule: 'waits as long as Retry-After says', method: 'POST', code: 429, retryAfter: '3', is: 3_000 },
    { rule: 'waits at most half a minute', method: 'GET', code: 429, retryAfter: '600', is: 30_000 },
    {
      rule: 'is retried after a 5xx of a server that is not ready yet',
      method: 'POST',
      code: 503,
      retryAfter: '1',
      is: 1_000,
    },
    {
      rule: 'is retried when it is a read and no function is free',
      method: 'GET',
      code: 503,
      retryAfter: undefined,
      is: 1_000,
    },
    {
      rule: 'is retried when it is a read and was throttled',
      method: 'GET',
      code: 429,
      retryAfter: undefined,
      is: 1_000,
    },
    { rule: 'backs off', method: 'GET', code: 503, retryAfter: undefined, attempts: 2, is: 4_000 },
    {
      rule: 'fails after three attempts without Retry-After',
      method: 'GET',
      code: 503,
      retryAfter: undefined,
      attempts: 3,
      is: undefined,
    },
    { rule: 'fails after five attempts', method: 'GET', code: 503, retryAfter: '1', attempts: 5, is: undefined },
    {
      rule: 'fails when it is a write that may have been applied',
      method: 'PATCH',
      code: 503,
      retryAfter: undefined,
      is: undefined,
    },
    { rule: 'fails when the server refused it', method: 'GET', code: 403, retryAfter: '1', is: undefined },
    { rule: 'fails when the server failed', method: 'GET', code: 500, retryAfter: undefined, is: undefined },
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
