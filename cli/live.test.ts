import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiClient } from './client.ts';
import { row } from './describe/node.ts';
import { openScreen, type Screen, watchCluster } from './live.ts';

const screen: Screen = { steps: 'open', show: () => undefined, done: () => undefined };
const name = { namespace: 'default', name: 'c' };

/** A client of a server without clusters, whose watches throw when they are aborted, or at once. */
const client = (over: Partial<ApiClient>): ApiClient => ({
  server: 'https://server',
  namespace: 'default',
  request: async () => ({ code: 404, body: '' }),
  json: () => Promise.reject(new Error('not asked')),
  find: async () => undefined,
  bytes: () => {
    throw new Error('not asked');
  },
  stream: async function* (_, signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new Error('left');
  },
  ...over,
});

// Vitest fails a run with an unhandled rejection.
describe('watching a cluster', () => {
  it('resolves although its watches throw', async () => {
    const { reached } = await watchCluster(client({}), name, screen, (objects) => objects === undefined, 1000);
    expect(reached).toBe(true);
  });

  it('rejects once when the server disappears', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const stream: ApiClient['stream'] = async function* () {
      yield await gone();
    };
    await expect(watchCluster(client({ find: gone, stream }), name, screen, () => false, 1000)).rejects.toThrow('gone');
  });

  it('times out when nothing changes', async () => {
    expect(await watchCluster(client({}), name, screen, () => false, 10)).toEqual({
      reached: false,
      objects: undefined,
    });
  });
});

describe('output to a pipe', () => {
  it('prints a line per change, and none for steps that the next operation replaces', () => {
    let written = '';
    const { show } = openScreen({ write: (text: string) => (written += text) });
    const rowsOf = (tree: Parameters<typeof show>[0]) => {
      written = '';
      show(tree);
      return written.split('\n').slice(0, -1);
    };
    const step = { ...row('Step/Network'), status: 'Running', message: 'waiting' };
    const first = row('Cluster/c', [row('ClusterOperation/c-create-1', [step]), row('Machine/m')]);
    expect(rowsOf(first)).toEqual([
      'Cluster/c',
      'ClusterOperation/c-create-1',
      'Step/Network Running · waiting',
      'Machine/m',
    ]);
    expect(rowsOf(first)).toEqual([]);
    expect(rowsOf(row('Cluster/c', [row('ClusterOperation/c-create-2')]))).toEqual([
      'ClusterOperation/c-create-2',
      'ClusterOperation/c-create-1 gone',
      'Machine/m gone',
    ]);
    expect(rowsOf(undefined)).toEqual(['Cluster/c gone', 'ClusterOperation/c-create-2 gone']);
  });

  it('prints a line from time to time while nothing changes', () => {
    vi.useFakeTimers({ now: 0 });
    let written = '';
    const { show, done } = openScreen({ write: (text: string) => (written += text) });
    show({ ...row('Step/Network'), status: 'Running', message: 'waiting for a VPC' });
    written = '';
    vi.advanceTimersByTime(90_000);
    expect(written.split('\n')[2]).toBe('… 90s elapsed: Step/Network · waiting for a VPC');
    done();
    written = '';
    vi.advanceTimersByTime(90_000);
    expect(written).toBe('');
    vi.useRealTimers();
  });

  it('does not report an object as gone when it joins or leaves a group row', () => {
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

describe('output to a terminal', () => {
  afterEach(() => void vi.useRealTimers());

  it('updates ages until it is stopped', () => {
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
    expect(ages()).toEqual(['1s']);
    vi.advanceTimersByTime(5000);
    expect(ages()).toEqual([]);
  });

  /** Renders the output on a screen of this size and counts the lines that scroll off its top. */
  const openTerminal = (columns: number, rows: number) => {
    let lines: string[] = [''];
    let scrolled = 0;
    const write = (text: string) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor.
      const [, up] = /^\u001b\[(\d+)A\r/.exec(text) ?? [];
      const from = Math.max(0, lines.length - 1 - Number(up ?? 0));
      lines = lines.slice(0, from);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor.
      lines.push(...text.replace(/\u001b\[\d+[AJ]\r?/g, '').split('\n'));
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      const over = Math.max(0, lines.length - rows);
      scrolled += over;
      lines = lines.slice(over);
    };
    return { out: { isTTY: true, columns, rows, write }, shown: () => lines, scrolled: () => scrolled };
  };

  it('never scrolls, however large the cluster is, and ends with the final state', () => {
    const terminal = openTerminal(80, 24);
    const { show, done } = openScreen(terminal.out);
    const machine = (i: number, isReady: boolean) => ({
      ...row(`Machine/quickstart-workers-abcde-${i}`),
      status: `Ready: ${isReady ? 'True' : 'False'}`,
      message: isReady ? '' : 'Waiting for a Node with spec.providerID aws:///us-east-1a/i-1 to exist',
    });
    for (let ready = 0; ready <= 60; ready++) {
      const machines = Array.from({ length: 60 }, (_, i) => machine(i, i < ready));
      const status = `Available: ${ready === 60 ? 'True' : 'False'}`;
      show({ ...row('Cluster/c', machines), status, replicas: '60/60', ready: String(ready), upToDate: '60' });
    }
    done();
    expect(terminal.scrolled()).toBe(0);
    expect(terminal.shown().join('\n')).toMatch(/Cluster\/c +Available +60\/60 ready\n.*all ready\n0s elapsed\n$/s);
  });
});
