import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClients } from './api/clients.ts';
import { timeVerbs } from './api/verbs.ts';

let open: Awaited<ReturnType<typeof openClients>>;
beforeAll(async () => {
  open = await openClients();
});
afterAll(() => open.close());

describe('the API bench', () => {
  it.each([0, 1])('times every verb through each client (seed %i)', async (index) => {
    const timings = await timeVerbs(open.clients[index]!, { objects: 5, calls: 10, concurrency: 2 });
    expect(timings.map(({ verb }) => verb)).toEqual([
      'create',
      'get',
      'patch',
      'list',
      'list a page of 50',
      'watch event',
      'delete',
    ]);
    for (const { perSecond, p50, p99 } of timings) {
      expect(perSecond).toBeGreaterThan(0);
      expect(p99).toBeGreaterThanOrEqual(p50);
    }
  });
});
