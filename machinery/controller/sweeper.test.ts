import { beforeEach, describe, expect, it } from 'vitest';
import type { WorkRequest } from './dispatch.ts';
import type { Runner } from './runtime.ts';
import { createSweeper } from './sweeper.ts';
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

const asked: [string, string, object][] = [];
const reported: string[] = [];
const logged: unknown[] = [];
beforeEach(() => {
  for (const each of [asked, reported, logged]) each.length = 0;
});

const workerOf = (runners: Record<string, Runner>, refuse: (name: string) => boolean = () => false) =>
  createSweeper({
    work: {
      request: async ({ controller, name }: WorkRequest['key'], how: object) => {
        if (refuse(name)) throw new Error('refused');
        asked.push([controller, name, how]);
      },
      sweep: async (controller: string) => {
        if (refuse(controller)) throw new Error('refused');
        asked.push([controller, 'swept', {}]);
      },
    } as unknown as Work,
    runners,
    log: { info: () => {}, error: (message, keys) => logged.push([message, keys?.controller]) },
    skipped: {
      report: async (during, all) => void reported.push(...all.map(({ name }) => `${during}: ${name}`)),
    },
  });
const hours = { after: 3, until: 4 };

describe('a resync', () => {
  it('requests the objects of every controller, and nothing of controllers without one', async () => {
    const worker = workerOf({
      a: runner(async (given) => ({
        requests: [item('a', `at ${given?.after}`), item('a', 'another')],
        unreadable: [],
      })),
      none: runner(),
      b: runner(async () => ({ requests: [item('b', 'last')], unreadable: [] })),
    });
    expect(await worker.resync(() => hours)).toEqual([]);
    expect(asked).toEqual([
      ['a', 'at 3', { urgent: false, slow: true }],
      ['a', 'another', { urgent: false, slow: true }],
      ['b', 'last', { urgent: true, slow: true }],
    ]);
    expect([reported, logged]).toEqual([[], []]);
  });

  it('goes on after an object that cannot be read or requested, and reports it', async () => {
    const damaged = { type: 'things', namespace: 'default', name: 'damaged', uid: 'u', error: new Error('damaged') };
    const requests = ['one', 'poison', 'two'].map((name) => item('a', name));
    const worker = workerOf(
      {
        a: runner(async () => ({ requests, unreadable: [damaged] })),
        b: runner(async () => ({ requests: [item('b', 'three')], unreadable: [] })),
      },
      (name) => name === 'poison',
    );
    expect(await worker.resync()).toEqual([]);
    expect(asked.map(([, name]) => name)).toEqual(['one', 'two', 'three']);
    expect(reported).toEqual(['resync: things default/damaged', 'resync: things default/poison']);
  });

  it('goes on after a controller whose objects cannot be listed, and names it', async () => {
    const worker = workerOf({
      a: runner(async () => {
        throw new Error('the log is older than it is kept');
      }),
      b: runner(async () => ({ requests: [item('b', 'last')], unreadable: [] })),
    });
    expect(await worker.resync()).toEqual(['a']);
    expect(asked.map(([, name]) => name)).toEqual(['last']);
    expect(logged).toEqual([['A resync failed', 'a']]);
  });

  it('names a controller of which no request succeeds', async () => {
    const requests = Array.from({ length: 200 }, (_, n) => item('a', `${n}`));
    const worker = workerOf({ a: runner(async () => ({ requests, unreadable: [] })) }, () => true);
    expect(await worker.resync()).toEqual(['a']);
  });
});

it('a sweep goes on after a controller that fails, and then fails', async () => {
  const worker = workerOf({ a: runner(), b: runner(), c: runner() }, (controller) => controller === 'b');
  await expect(worker.sweep()).rejects.toThrow('refused');
  expect(asked.map(([controller]) => controller)).toEqual(['a', 'c']);
});
