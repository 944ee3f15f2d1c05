import { describe, expect, it } from 'vitest';
import { concurrencyOf, excessesOf } from './concurrency.ts';

const all = (workers: number) => ({ core: workers, aws: workers, workload: workers, gc: workers });

describe('the shares of the account’s concurrency', () => {
  it.each([
    {
      limit: undefined,
      batchesPerShard: 2,
      perQueue: all(2),
      workers: 8,
      watches: 2,
      free: 0,
      requests: { rate: 24, burst: 10 },
      reports: { rate: 4, burst: 3 },
      slow: false,
    },
    {
      limit: 10,
      batchesPerShard: 2,
      perQueue: all(2),
      workers: 8,
      watches: 2,
      free: 0,
      requests: { rate: 24, burst: 10 },
      reports: { rate: 4, burst: 3 },
      slow: false,
    },
    {
      limit: 20,
      batchesPerShard: 2,
      perQueue: all(2),
      workers: 8,
      watches: 4,
      free: 8,
      requests: { rate: 48, burst: 20 },
      reports: { rate: 8, burst: 6 },
      slow: false,
    },
    {
      limit: 40,
      batchesPerShard: 2,
      perQueue: all(2),
      workers: 16,
      watches: 8,
      free: 16,
      requests: { rate: 96, burst: 40 },
      reports: { rate: 16, burst: 12 },
      slow: true,
    },
    {
      limit: 100,
      batchesPerShard: 5,
      perQueue: all(6),
      workers: 48,
      watches: 20,
      free: 32,
      requests: { rate: 120, burst: 100 },
      reports: { rate: 40, burst: 30 },
      slow: true,
    },
    {
      limit: 499,
      batchesPerShard: 10,
      perQueue: { ...all(10), workload: 31 },
      workers: 122,
      watches: 99,
      free: 278,
      requests: { rate: 120, burst: 200 },
      reports: { rate: 50, burst: 50 },
      slow: true,
    },
    {
      limit: 1000,
      batchesPerShard: 10,
      perQueue: { ...all(10), workload: 40 },
      workers: 140,
      watches: 100,
      free: 760,
      requests: { rate: 120, burst: 200 },
      reports: { rate: 50, burst: 50 },
      slow: true,
      reserved: { api: 50, watch: 120, 'audit-webhook': 10 },
    },
  ])('divide a limit of $limit into workers $workers, watches $watches, free $free', (row) => {
    const { limit, slow, reserved = {}, ...shares } = row;
    const found = concurrencyOf({ accountConcurrency: limit });
    expect(found).toEqual({ limit: limit ?? 10, ...shares, hasSlowQueues: slow, reserved });
  });

  it('never exceed the limit by default', () => {
    for (let limit = 10; limit < 3000; limit++) {
      expect([limit, excessesOf({ accountConcurrency: limit })]).toEqual([limit, []]);
      const { workers, watches, free } = concurrencyOf({ accountConcurrency: limit });
      expect(workers + watches).toBeLessThanOrEqual(limit);
      if (limit >= 20) expect(free).toBeGreaterThanOrEqual(limit * 0.3);
    }
  });

  it('follow explicit settings', () => {
    expect(
      concurrencyOf({ accountConcurrency: 100, maxConcurrency: 3, watches: 7, reservedConcurrency: {} }),
    ).toMatchObject({ perQueue: all(3), workers: 24, watches: 7, free: 69, reserved: {} });
    expect(concurrencyOf({ accountConcurrency: 1000, reservedConcurrency: {} }).reserved).toEqual({});
  });
});

describe('explicit settings are rejected', () => {
  it.each([
    { rule: 'workers beyond the limit', asked: { maxConcurrency: 5 }, says: 'workers may keep 20 functions busy' },
    { rule: 'watches beyond the limit', asked: { watches: 9 }, says: 'watches 9, but at most 10 functions' },
    {
      rule: 'a reservation of concurrency that must stay unreserved',
      asked: { reservedConcurrency: { api: 1 } },
      says: 'keeps 1',
    },
    {
      rule: 'a reservation that leaves too little unreserved',
      asked: { accountConcurrency: 120, reservedConcurrency: { api: 30 } },
      says: 'keeps 30, but at most 120',
    },
    {
      rule: 'a reservation smaller than the number of watches',
      asked: { accountConcurrency: 1000, watches: 60, reservedConcurrency: { watch: 50 } },
      says: 'bounds the function watch to 50',
    },
  ])('$rule', ({ asked, says }) =>
    expect(excessesOf({ accountConcurrency: 10, ...asked })).toEqual([expect.stringContaining(says)]));
});
