import { expect, it } from 'vitest';
import type { WorkRequest } from './dispatch.ts';
import { createWorker, type Runner } from './runtime.ts';
import type { Work } from './work.ts';

const item = (controller: string, name: string): WorkRequest => ({
  key: { controller, type: 'things', namespace: 'default', name },
  urgent: controller === 'b',
});
const runner = (resync?: Runner['resync']): Runner => ({
  run: async () => ({ ended: 'conflict' }),
  types: () => ['things'],
  ...(resync && { resync }),
});

it('collects the resync requests of every controller, and nothing for controllers without one', async () => {
  const asked: [string, string, object][] = [];
  const work = {
    request: async ({ controller, name }: WorkRequest['key'], how: object) => {
      asked.push([controller, name, how]);
    },
  } as unknown as Work;
  const worker = createWorker({
    work,
    runners: {
      a: runner(async (hours) => [item('a', `at ${hours?.after}`), item('a', 'another')]),
      none: runner(),
      b: runner(async () => [item('b', 'last')]),
    },
    clock: { now: () => 0 },
    log: { info: () => {}, error: () => {} },
  });
  await worker.resync({ after: 3, until: 4 });
  expect(asked).toEqual([
    ['a', 'at 3', { urgent: false, slow: true }],
    ['a', 'another', { urgent: false, slow: true }],
    ['b', 'last', { urgent: true, slow: true }],
  ]);
});
