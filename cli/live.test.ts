import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiClient } from './client.ts';
import { row } from './describe/node.ts';
import { openScreen, type Screen, watchCluster } from './live.ts';

const screen: Screen = { steps: 'open', show: () => undefined, done: () => undefined };
const name = { namespace: 'default', name: 'c' };

/** A client of a server that knows no cluster, and whose watches end with an error when they are left, or at once. */
const client = (over: Partial<ApiClient>): ApiClient => ({
  server: 'https://server',
  namespace: 'default',
  request: async () => ({ code: 404, body: '' }),
  json: () => Promise.reject(new Error('not asked')),
  find: async () => undefined,
  stream: async function* (_, signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new Error('left');
  },
  ...over,
});

// Vitest fails a run in which a rejection is handled by nobody.
describe('watching a cluster', () => {
  it('ends well although its watches end with errors', async () => {
    const { reached } = await watchCluster(client({}), name, screen, (objects) => objects === undefined, 1000);
    expect(reached).toBe(true);
  });

  it('ends with one error when the server goes away', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const stream: ApiClient['stream'] = async function* () {
      yield await gone();
    };
    await expect(watchCluster(client({ find: gone, stream }), name, screen, () => false, 1000)).rejects.toThrow('gone');
  });

  it('gives up when nothing changes', async () => {
    expect(await watchCluster(client({}), name, screen, () => false, 10)).toEqual({
      reached: false,
      objects: undefined,
    });
  });
});

describe('a pipe', () => {
  it('gets a line for each change, and none for steps that the next operation replaces', () => {
    let written = '';
    const { show } = openScreen({ write: (text: string) => (written += text) });
    const told = (tree: Parameters<typeof show>[0]) => {
      written = '';
      show(tree);
      return written.split('\n').slice(0, -1);
    };
    const step = { ...row('Step/Network'), status: 'Running', message: 'waiting' };
    const first = row('Cluster/c', [row('ClusterOperation/c-create-1', [step]), row('Machine/m')]);
    expect(told(first)).toEqual([
      'Cluster/c',
      'ClusterOperation/c-create-1',
      'Step/Network Running · waiting',
      'Machine/m',
    ]);
    expect(told(first)).toEqual([]);
    expect(told(row('Cluster/c', [row('ClusterOperation/c-create-2')]))).toEqual([
      'ClusterOperation/c-create-2',
      'ClusterOperation/c-create-1 gone',
      'Machine/m gone',
    ]);
    expect(told(undefined)).toEqual(['Cluster/c gone', 'ClusterOperation/c-create-2 gone']);
  });

  it('is not told that what shares a row now, or has one of its own again, is gone', () => {
    let written = '';
    const { show } = openScreen({ write: (text: string) => (written += text) });
    const both = ['Machine/a', 'Machine/b'];
    const apart = row(
      'Cluster/c',
      both.map((label) => row(label)),
    );
    const together = row('Cluster/c', [{ ...row('2 Machines...'), standsFor: both }]);
    for (const tree of [apart, together, apart, together]) show(tree);
    expect(written).not.toContain('gone');
    show(row('Cluster/c', [row('Machine/b')]));
    expect(written).toMatch(/\nMachine\/b\nMachine\/a gone\n$/);
  });
});

describe('a terminal', () => {
  afterEach(() => void vi.useRealTimers());

  it('shows how ages grow, until it is left', () => {
    vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:05Z') });
    let drawn: string[] = [];
    const { show, done } = openScreen({ isTTY: true, write: (text: string) => drawn.push(text) });
    const ages = () => {
      const seen = drawn.map((text) => /Running +(\d+s)/.exec(text)?.[1]);
      drawn = [];
      return seen;
    };
    show({ ...row('Step/Network'), status: 'Running', since: '2026-01-01T00:00:00Z' });
    vi.advanceTimersByTime(2000);
    expect(ages()).toEqual(['5s', '6s', '7s']);
    show({ ...row('Step/Network'), status: 'Running', since: '2026-01-01T00:00:07Z' });
    vi.advanceTimersByTime(1000);
    expect(ages()).toEqual(['0s', '1s']);
    done();
    vi.advanceTimersByTime(5000);
    expect(ages()).toEqual([]);
  });
});
