/** Requests over sockets: which connection they take, and what becomes of those that fail. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { httpsTransport } from './https-transport.ts';
import { type Closing, connectionTo, startApi, startProxy, startRelay } from './servers.fixture.ts';

const closing: Closing[] = [];
const keep = async <T extends Closing>(started: Promise<T>): Promise<T> => {
  const one = await started;
  closing.unshift(one);
  return one;
};
afterEach(async () => {
  vi.useRealTimers();
  for (const one of closing.splice(0)) await one.close();
});

const get = (transport: ReturnType<typeof httpsTransport>, port: number, init: RequestInit = {}, host?: string) => {
  const connection = connectionTo(port, host);
  return transport.fetch(connection, new Request(`${connection.server}/version`, init));
};

describe('connections', () => {
  const open = async () => {
    const api = await keep(startApi({}));
    const relay = await keep(startRelay(api.port));
    return { relay, transport: httpsTransport() };
  };

  it('are kept for the next request', async () => {
    const { relay, transport } = await open();
    for (let i = 0; i < 20; i++) await get(transport, relay.port);
    expect(relay.made()).toBe(1);
  });

  it('are not shared by clients with other credentials', async () => {
    const { relay, transport } = await open();
    await get(transport, relay.port);
    const { clientCertificate: _, clientKey: __, ...anonymous } = connectionTo(relay.port);
    await transport.fetch(anonymous, new Request(`${anonymous.server}/version`));
    expect(relay.made()).toBe(2);
  });

  it('verify the name that a kubeconfig gives its server, by which it is asked for', async () => {
    const { port } = await keep(startApi({}));
    const connection = connectionTo(port, 'localhost');
    const ask = (to: typeof connection) => httpsTransport().fetch(to, new Request(`${to.server}/version`));
    await expect(ask(connection)).rejects.toMatchObject({ code: 'Unreachable' });
    expect((await ask({ ...connection, serverName: 'api.example.com' })).status).toBe(200);
    await expect(ask({ ...connection, serverName: 'another.example.com' })).rejects.toMatchObject({
      code: 'Unreachable',
    });
  });

  it('are not used after a pause, in which they may have died unseen', async () => {
    const { relay, transport } = await open();
    await get(transport, relay.port);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 });
    await get(transport, relay.port);
    expect(relay.made()).toBe(2);
    await vi.waitFor(() => expect(relay.open()).toBe(1));
  });

  it('of a read that found its own dead are replaced, once', async () => {
    const { relay, transport } = await open();
    await get(transport, relay.port);
    relay.cut();
    expect((await get(transport, relay.port)).status).toBe(200);
    expect(relay.made()).toBe(2);
  });

  it('are few at once, and fewer afterwards', async () => {
    const ports: number[] = [];
    const relays: Awaited<ReturnType<typeof startRelay>>[] = [];
    const api = await keep(startApi({}));
    for (let i = 0; i < 10; i++) {
      const relay = await keep(startRelay(api.port));
      relays.push(relay);
      ports.push(relay.port);
    }
    const transport = httpsTransport();
    await Promise.all(ports.flatMap((port) => Array.from({ length: 9 }, () => get(transport, port))));
    for (const relay of relays) expect(relay.made()).toBeLessThanOrEqual(8);
    await vi.waitFor(() => {
      const all = relays.reduce((sum, relay) => sum + relay.open(), 0);
      expect(all).toBeGreaterThan(0);
      expect(all).toBeLessThanOrEqual(64);
    });
  });
});

describe('a write that found its connection dead', () => {
  it('is not sent twice', async () => {
    let writes = 0;
    const api = await keep(
      startApi({
        fetch: async (request) => {
          if (request.method !== 'POST') return Response.json({});
          writes++;
          return Response.error();
        },
      }),
    );
    const transport = httpsTransport();
    await get(transport, api.port);
    await expect(get(transport, api.port, { method: 'POST', body: '{}' })).rejects.toMatchObject({
      name: 'WorkloadError',
      code: 'Unreachable',
    });
    expect(writes).toBe(1);
  });
});

describe('failures', () => {
  it.each([
    {
      rule: 'an answer that does not come: Timeout',
      fetch: () => new Promise<Response>(() => undefined),
      code: 'Timeout',
      says: 'no answer from 127.0.0.1',
    },
    {
      rule: 'an answer that does not end: Timeout',
      fetch: async () => new Response(new ReadableStream({ start: (c) => c.enqueue(Buffer.from('{')) })),
      code: 'Timeout',
      says: 'no answer from 127.0.0.1',
      path: '/?watch=1',
    },
    {
      rule: 'an answer that would fill the memory: TooLarge',
      fetch: async () => new Response(Buffer.alloc(65 * 1024 * 1024)),
      code: 'TooLarge',
      says: 'longer than 67108864 bytes',
    },
    {
      rule: 'a connection that ends: Unreachable',
      fetch: async () => Response.error(),
      code: 'Unreachable',
      says: 'socket hang up',
    },
  ])('$rule', async ({ fetch, code, says, path = '/' }) => {
    const api = await keep(startApi({ fetch }));
    const connection = connectionTo(api.port);
    const failed = httpsTransport({ timeout: code === 'Timeout' ? 200 : 60_000 }).fetch(
      connection,
      new Request(connection.server + path),
    );
    await expect(failed).rejects.toMatchObject({ name: 'WorkloadError', code });
    await expect(failed).rejects.toThrow(says);
  });

  it('a server that speaks something else: Unreachable', async () => {
    const server = createServer((socket: Socket) => socket.resume().end('220 mail.example.com ESMTP\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    closing.push({ port, close: () => new Promise((resolve) => server.close(() => resolve())) });
    await expect(get(httpsTransport(), port)).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
  });

  it.each(['clientCertificate', 'clientKey'])('%s that is no PEM: InvalidKubeconfig', async (field) => {
    const api = await keep(startApi({}));
    const connection = { ...connectionTo(api.port), [field]: 'nonsense' };
    const failed = httpsTransport().fetch(connection, new Request(connection.server));
    await expect(failed).rejects.toMatchObject({ name: 'WorkloadError', code: 'InvalidKubeconfig' });
  });

  it('a name that nobody has: Unreachable', async () => {
    await expect(get(httpsTransport(), 6443, {}, 'nobody.invalid')).rejects.toMatchObject({
      name: 'WorkloadError',
      code: 'Unreachable',
    });
  });
});

describe('a proxy', () => {
  const open = async (allows?: (target: string) => boolean) => {
    const api = await keep(startApi({ fetch: async (_, peer) => Response.json({ known: !!peer.clientCertificate }) }));
    const proxy = await keep(startProxy(allows));
    return { api, proxy, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  };

  it('is asked for names that only it knows, and sees nothing of what is said', async () => {
    const { api, proxy, HTTPS_PROXY } = await open();
    const transport = httpsTransport({ proxy: { HTTPS_PROXY } });
    for (let i = 0; i < 3; i++) {
      const answer = await get(transport, api.port, {}, 'api.example.com');
      expect(await answer.json()).toEqual({ known: true });
    }
    expect(proxy.asked).toEqual([`api.example.com:${api.port}`]);
  });

  it('is left aside for what NO_PROXY names', async () => {
    const { api, proxy, HTTPS_PROXY } = await open();
    const transport = httpsTransport({ proxy: { HTTPS_PROXY, NO_PROXY: '127.0.0.1,.internal' } });
    expect((await get(transport, api.port)).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it('that refuses, or is not there, makes a cluster Unreachable', async () => {
    const { api, HTTPS_PROXY } = await open(() => false);
    const refused = get(httpsTransport({ proxy: { HTTPS_PROXY } }), api.port, {}, 'api.example.com');
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
    const absent = get(
      httpsTransport({ proxy: { HTTPS_PROXY: 'http://127.0.0.1:1' } }),
      api.port,
      {},
      'api.example.com',
    );
    await expect(absent).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
  });

  it('does not hide whose certificate it is', async () => {
    const { api, HTTPS_PROXY } = await open();
    const elsewhere = get(httpsTransport({ proxy: { HTTPS_PROXY } }), api.port, {}, 'other.example.com');
    await expect(elsewhere).rejects.toMatchObject({ code: 'Unreachable' });
    await expect(elsewhere).rejects.toThrow(/other\.example\.com/);
  });

  it('that does not answer is waited for as long as a cluster', async () => {
    const api = await keep(startApi({}));
    let given = false;
    const server = createServer((socket) => {
      socket.resume().once('close', () => {
        given = true;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const HTTPS_PROXY = `http://127.0.0.1:${port}`;
    const silent = get(httpsTransport({ timeout: 200, proxy: { HTTPS_PROXY } }), api.port, {}, 'api.example.com');
    await expect(silent).rejects.toMatchObject({ code: 'Timeout' });
    await vi.waitFor(() => expect(given).toBe(true));
    server.close();
  });
});
