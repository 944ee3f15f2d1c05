import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { serverCertificate } from './certificate.fixture.ts';
import { openClient } from './client.ts';
import { proxyVariables } from './proxy.ts';

describe('the proxy of the environment', () => {
  const here = 'localhost,127.0.0.1,[::1],::1';
  it.each([
    { rule: 'is absent without a variable', environment: {}, is: undefined },
    { rule: 'is absent with an empty variable', environment: { HTTPS_PROXY: '' }, is: undefined },
    {
      rule: 'is never for this machine',
      environment: { HTTPS_PROXY: 'http://p:3128' },
      is: { HTTPS_PROXY: 'http://p:3128', NO_PROXY: here },
    },
    {
      rule: 'has exceptions',
      environment: { https_proxy: 'http://p:3128', no_proxy: '.internal' },
      is: { HTTPS_PROXY: 'http://p:3128', NO_PROXY: `.internal,${here}` },
    },
  ])('$rule', ({ environment, is }) => expect(proxyVariables(environment)).toEqual(is));
});

describe('a command behind a proxy', () => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-proxy-'));
  const path = join(directory, 'config');
  const asked: string[] = [];
  const { authority, options } = serverCertificate(['capstan.internal', '127.0.0.1']);
  const server = createServer(options, (_, response) => void response.end('{}'));
  // It resolves a name that no name server knows.
  const proxy = createProxy().on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const upstream = connect(portOf(server), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  const portOf = (of: typeof server | typeof proxy): number => (of.address() as AddressInfo).port;
  const open = (host: string) => {
    const data = Buffer.from(authority.certificate).toString('base64');
    const cluster = { server: `https://${host}:${portOf(server)}`, 'certificate-authority-data': data };
    const context = { cluster: 'c', user: 'u' };
    writeFileSync(
      path,
      stringify({
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [{ name: 'x', context }],
        'current-context': 'x',
      }),
    );
    return openClient(path);
  };

  beforeAll(async () => {
    for (const one of [server, proxy])
      await new Promise<void>((resolve) => void one.listen(0, '127.0.0.1', () => resolve()));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    asked.length = 0;
  });
  afterAll(() => {
    for (const one of [server, proxy]) {
      one.closeAllConnections();
      one.close();
    }
    rmSync(directory, { recursive: true });
  });

  it('reaches a server whose name only the proxy knows', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${portOf(proxy)}`);
    expect(await open('capstan.internal').json('GET', '/')).toEqual({});
    expect(asked).toEqual([`capstan.internal:${portOf(server)}`]);
  });

  it('reaches this machine and what NO_PROXY names without it', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${portOf(proxy)}`);
    vi.stubEnv('NO_PROXY', '.internal');
    expect(await open('127.0.0.1').json('GET', '/')).toEqual({});
    await expect(open('capstan.internal').json('GET', '/')).rejects.toThrow('cannot reach');
    expect(asked).toEqual([]);
  });

  it('says that the proxy cannot be reached', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    await expect(open('capstan.internal').json('GET', '/')).rejects.toThrow(/cannot reach .*connection refused/);
  });
});
