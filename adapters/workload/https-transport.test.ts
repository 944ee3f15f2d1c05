/** HTTPS requests over sockets: which connection a request uses, and what happens to a request that fails. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { httpsTransport } from './https-transport.ts';
import { type Closing, connectionTo, startApi, startDeaf, startProxy, startRelay } from './servers.fixture.ts';

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

  it('are reused for the next request', async () => {
    const { relay, transport } = await open();
    for (let i = 0; i < 20; i++) await get(transport, relay.port);
    expect(relay.made()).toBe(1);
  });

  it('are not shared by clients with different credentials', async () => {
    const { relay, transport } = await open();
    await get(transport, relay.port);
    const { clientCertificate: _, clientKey: __, ...anonymous } = connectionTo(relay.port);
    await transport.fetch(anonymous, new Request(`${anonymous.server}/version`));
    expect(relay.made()).toBe(2);
  });

  it('verify the certificate against tls-server-name when the kubeconfig sets it', async () => {
    const { port } = await keep(startApi({}));
    const connection = connectionTo(port, 'localhost');
    const ask = (to: typeof connection) => httpsTransport().fetch(to, new Request(`${to.server}/version`));
    await expect(ask(connection)).rejects.toMatchObject({ code: 'Unreachable' });
    expect((await ask({ ...connection, serverName: 'api.example.com' })).status).toBe(200);
    await expect(ask({ ...connection, serverName: 'another.example.com' })).rejects.toMatchObject({
      code: 'Unreachable',
    });
  });

  it('verify no certificate when the kubeconfig says so', async () => {
    const { port } = await keep(startApi({}));
    const { caCertificate: _, ...unknown } = connectionTo(port, 'localhost');
    const ask = (to: typeof unknown) => httpsTransport().fetch(to, new Request(`${to.server}/version`));
    await expect(ask(unknown)).rejects.toMatchObject({ code: 'Unreachable' });
    expect((await ask({ ...unknown, skipsVerification: true } as typeof unknown)).status).toBe(200);
  });

  it('are not reused after a pause, in which they may have broken unnoticed', async () => {
    const { relay, transport } = await open();
    await get(transport, relay.port);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 });
    await get(transport, relay.port);
    expect(relay.made()).toBe(2);
    await vi.waitFor(() => expect(relay.open()).toBe(1));
  });

  it('are replaced once when a read finds its connection broken', async () => {
    const { relay, transport } = await open();
    await get(transport, relay.port);
    relay.cut();
    expect((await get(transport, relay.port)).status).toBe(200);
    expect(relay.made()).toBe(2);
  });

  it('are limited per server, and fewer stay open when idle', async () => {
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

describe('a write on a broken connection', () => {
  it('is not sent again', async () => {
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
      rule: 'a response that never starts: Timeout',
      fetch: () => new Promise<Response>(() => undefined),
      code: 'Timeout',
      says: 'no answer from 127.0.0.1',
    },
    {
      rule: 'a response that never ends: Timeout',
      fetch: async () => new Response(new ReadableStream({ start: (c) => c.enqueue(Buffer.from('{')) })),
      code: 'Timeout',
      says: 'no answer from 127.0.0.1',
      path: '/?watch=1',
    },
    {
      rule: 'a response that exceeds the size limit: TooLarge',
      fetch: async () => new Response(Buffer.alloc(65 * 1024 * 1024)),
      code: 'TooLarge',
      says: 'longer than 67108864 bytes',
    },
    {
      rule: 'a connection that closes: Unreachable',
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

  it('a host that accepts no connection: Timeout, before the time for an answer', async () => {
    const deaf = await keep(startDeaf());
    const failed = get(httpsTransport({ timeout: 60_000, connectTimeout: 200 }), deaf.port);
    await expect(failed).rejects.toMatchObject({ name: 'WorkloadError', code: 'Timeout' });
    await expect(failed).rejects.toThrow(`127.0.0.1:${deaf.port} accepts no connection within 200 ms`);
  });

  it('a server that does not speak TLS: Unreachable', async () => {
    const server = createServer((socket: Socket) => socket.resume().end('220 mail.example.com ESMTP\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    closing.push({ port, close: () => new Promise((resolve) => server.close(() => resolve())) });
    await expect(get(httpsTransport(), port)).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
  });

  it.each(['clientCertificate', 'clientKey'])('%s that is not PEM: InvalidKubeconfig', async (field) => {
    const api = await keep(startApi({}));
    const connection = { ...connectionTo(api.port), [field]: 'nonsense' };
    const failed = httpsTransport().fetch(connection, new Request(connection.server));
    await expect(failed).rejects.toMatchObject({ name: 'WorkloadError', code: 'InvalidKubeconfig' });
  });

  it('a name that does not resolve: Unreachable', async () => {
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

  it('resolves the names, and sees only encrypted traffic', async () => {
    const { api, proxy, HTTPS_PROXY } = await open();
    const transport = httpsTransport({ proxy: { HTTPS_PROXY } });
    for (let i = 0; i < 3; i++) {
      const answer = await get(transport, api.port, {}, 'api.example.com');
      expect(await answer.json()).toEqual({ known: true });
    }
    expect(proxy.asked).toEqual([`api.example.com:${api.port}`]);
  });

  it('is bypassed for the hosts in NO_PROXY', async () => {
    const { api, proxy, HTTPS_PROXY } = await open();
    const transport = httpsTransport({ proxy: { HTTPS_PROXY, NO_PROXY: '127.0.0.1,.internal' } });
    expect((await get(transport, api.port)).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it('that rejects the request, or does not listen, makes a cluster Unreachable', async () => {
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

  it('does not weaken certificate verification', async () => {
    const { api, HTTPS_PROXY } = await open();
    const elsewhere = get(httpsTransport({ proxy: { HTTPS_PROXY } }), api.port, {}, 'other.example.com');
    await expect(elsewhere).rejects.toMatchObject({ code: 'Unreachable' });
    await expect(elsewhere).rejects.toThrow(/other\.example\.com/);
  });

  it('that does not answer is subject to the timeout of the cluster', async () => {
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
