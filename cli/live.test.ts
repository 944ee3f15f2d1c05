import { describe, expect, it } from 'vitest';
import type { ApiClient } from './client.ts';
import { type Screen, watchCluster } from './live.ts';

const screen: Screen = { show: () => undefined, done: () => undefined };
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
