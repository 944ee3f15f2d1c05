import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAuthority, issue, type Pem } from '../pki/index.ts';
import { nodeNetwork } from './network.ts';
import { type Identity, type Listener, type Peer, serve } from './serve.ts';

const now = Date.now();
const ca = createAuthority({ subject: { commonName: 'ca' }, days: 2, algorithm: 'ECDSA-P256', now });
const other = createAuthority({ subject: { commonName: 'other' }, days: 2, algorithm: 'ECDSA-P256', now });
const certify = (commonName: string, authority: Pem, usage: 'server' | 'client') =>
  issue({
    subject: { commonName },
    sans: ['127.0.0.1'],
    usages: [usage],
    ca: authority,
    days: 1,
    now,
    algorithm: 'ECDSA-P256',
  });
const certificate = certify('server', ca, 'server');
const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

const start = async (
  fetch: (request: Request, peer: Peer) => Promise<Response> | Response,
  identity: () => Identity | undefined = () => certificate,
) => {
  const listener = await serve({ port: 0, identity, fetch: async (request, peer) => fetch(request, peer) });
  listeners.push(listener);
  return listener.port;
};

interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}
const send = (port: number, options: RequestOptions = {}, body?: string): Promise<Got> =>
  new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      { host: '127.0.0.1', port, ca: ca.certificate, agent: false, ...options },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(chunks) }),
        );
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });

describe('serve', () => {
  it('passes on method, path, headers and body', async () => {
    const port = await start(async (request) =>
      Response.json({
        method: request.method,
        path: new URL(request.url).pathname,
        header: request.headers.get('x-test'),
        body: await request.text(),
      }),
    );
    const got = await send(port, { method: 'POST', path: '/a%2Fb?c=d', headers: { 'x-test': 'y' } }, 'hello');
    expect(JSON.parse(got.body.toString())).toEqual({ method: 'POST', path: '/a%2Fb', header: 'y', body: 'hello' });
  });

  it('never mistakes a path for a host', async () => {
    const port = await start((request) => new Response(request.url));
    expect((await send(port, { path: '//elsewhere/x' })).body.toString()).toBe('https://127.0.0.1//elsewhere/x');
    expect((await send(port, { path: 'https://elsewhere/x' })).body.toString()).toBe('https://127.0.0.1/');
  });

  it('compresses long responses for clients that accept gzip', async () => {
    const port = await start(
      (request) => new Response('x'.repeat(new URL(request.url).pathname === '/long' ? 5000 : 10)),
    );
    const accepting = { headers: { 'accept-encoding': 'gzip' } };
    const long = await send(port, { path: '/long', ...accepting });
    expect(long.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(long.body).toString()).toBe('x'.repeat(5000));
    expect((await send(port, { path: '/short', ...accepting })).headers['content-encoding']).toBeUndefined();
    expect((await send(port, { path: '/long' })).body).toHaveLength(5000);
    expect((await send(port, { path: '/long', headers: { 'accept-encoding': 'gzip;q=0' } })).body).toHaveLength(5000);
  });

  it('sends each warning as a separate header', async () => {
    const headers = new Headers();
    headers.append('warning', '299 - "one, two"');
    headers.append('warning', '299 - "three"');
    const port = await start(() => new Response('', { headers }));
    const raw = await new Promise<string[]>((resolve) => {
      httpsRequest({ host: '127.0.0.1', port, ca: ca.certificate, agent: false }, (incoming) => {
        incoming.resume();
        resolve(incoming.rawHeaders);
      }).end();
    });
    expect(raw.filter((_, i) => raw[i - 1]?.toLowerCase() === 'warning')).toEqual([
      '299 - "one, two"',
      '299 - "three"',
    ]);
  });

  it('streams a watch as it arrives, and cancels the source when the client disconnects', async () => {
    let cancelled: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    let aborted = false;
    const port = await start((request) => {
      request.signal.addEventListener('abort', () => {
        aborted = true;
      });
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('first\n')),
        cancel: cancelled,
      });
      return new Response(stream);
    });
    await new Promise<void>((resolve, reject) => {
      const outgoing = httpsRequest(
        { host: '127.0.0.1', port, ca: ca.certificate, agent: false, path: '/?watch=true' },
        (incoming) => {
          incoming.once('data', (chunk: Buffer) => {
            expect(chunk.toString()).toBe('first\n');
            outgoing.destroy();
            resolve();
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
    await gone;
    expect(aborted).toBe(true);
  });

  it('delivers an error response that left the request body unread', async () => {
    const port = await start(() => new Response('too large', { status: 413 }));
    const got = await send(port, { method: 'POST' }, 'x'.repeat(5_000_000));
    expect([got.status, got.body.toString()]).toEqual([413, 'too large']);
  });

  it('accepts only client certificates of the configured authority', async () => {
    const port = await start(
      (_, { clientCertificate }) =>
        Response.json({ known: clientCertificate?.startsWith('-----BEGIN CERTIFICATE-----') ?? false }),
      () => ({ ...certificate, clientAuthorities: ca.certificate }),
    );
    const known = async (client?: Pem) =>
      JSON.parse((await send(port, client ? { cert: client.certificate, key: client.key } : {})).body.toString()).known;
    expect(await known(certify('me', ca, 'client'))).toBe(true);
    expect(await known(certify('me', other, 'client'))).toBe(false);
    expect(await known()).toBe(false);
  });

  it('resets connections while it has no certificate, and serves a new one without a restart', async () => {
    let identity: Identity | undefined;
    const port = await start(
      () => new Response('here'),
      () => identity,
    );
    await expect(send(port)).rejects.toThrow();
    identity = certificate;
    expect((await send(port)).body.toString()).toBe('here');
    identity = certify('server', other, 'server');
    await expect(send(port)).rejects.toThrow(/certificate/);
    expect((await send(port, { ca: other.certificate })).body.toString()).toBe('here');
  });

  it('closes the connection on a network error from the handler, without reporting it', async () => {
    const received: unknown[] = [];
    const fetch = async () => Response.error();
    const listener = await serve({
      port: 0,
      identity: () => certificate,
      fetch,
      onError: (error) => received.push(error),
    });
    listeners.push(listener);
    await expect(send(listener.port)).rejects.toThrow('socket hang up');
    expect(received).toEqual([]);
  });

  it('reports the error of a handler that rejected while the client was connected', async () => {
    const received: unknown[] = [];
    const fetch = () => Promise.reject(new Error('broken'));
    const listener = await serve({
      port: 0,
      identity: () => certificate,
      fetch,
      onError: (error) => received.push(error),
    });
    listeners.push(listener);
    await expect(send(listener.port)).rejects.toThrow();
    expect(received).toEqual([new Error('broken')]);
  });

  it('closes at once, even with open connections', async () => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const never = () => {
      isAsked();
      return new Promise<Response>(() => undefined);
    };
    const listener = await serve({ port: 0, identity: () => certificate, fetch: never });
    const hanging = expect(send(listener.port)).rejects.toThrow();
    await asked;
    await listener.close();
    await hanging;
  });

  it('names the address of the client, whatever the client claims', async () => {
    const port = await start((_, { address }) => new Response(address));
    expect((await send(port, { headers: { 'x-forwarded-for': '192.0.2.7' } })).body.toString()).toBe('127.0.0.1');
  });

  it('bounds the connections from one address', async () => {
    const fetch = async () => new Response('served');
    const listener = await serve({ port: 0, identity: () => certificate, fetch, connectionsPerAddress: 2 });
    listeners.push(listener);
    const held = [1, 2].map(() => connect({ host: '127.0.0.1', port: listener.port }));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    await expect(send(listener.port)).rejects.toThrow();
    held[0]!.destroy();
    await vi.waitFor(async () => expect((await send(listener.port)).body.toString()).toBe('served'));
    held[1]!.destroy();
  });

  it('rejects when the port is taken', async () => {
    const port = await start(() => new Response(''));
    await expect(
      serve({ port, identity: () => certificate, fetch: async () => new Response('') }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('nodeNetwork', () => {
  it('listens, replaces its service, and closes', async () => {
    const network = nodeNetwork();
    const port = network.reserve();
    expect(network.reserve()).not.toBe(port);
    const service = (text: string) => ({ identity: () => certificate, fetch: async () => new Response(text) });
    network.listen(port, service('one'));
    const answers = async () => {
      for (;;) {
        try {
          return (await send(port)).body.toString();
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }
    };
    expect(await answers()).toBe('one');
    network.listen(port, service('two'));
    expect(await answers()).toBe('two');
    await network.end();
    await expect(send(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('reports once that a port is taken, and listens when the port is free', async () => {
    const output: string[] = [];
    const network = nodeNetwork({ info: () => {}, error: (message) => void output.push(message) });
    const holder = await serve({ port: 0, identity: () => certificate, fetch: async () => new Response('held') });
    network.listen(holder.port, { identity: () => certificate, fetch: async () => new Response('free') });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(output).toEqual(['Cannot listen']);
    await holder.close();
    await vi.waitFor(async () => expect((await send(holder.port)).body.toString()).toBe('free'), 5_000);
    await network.end();
  });
});
