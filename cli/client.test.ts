import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Pem } from '../adapters/pki/certificates.ts';
import { serverCertificate } from './certificate.fixture.ts';
import { openClient } from './client.ts';

const now = Date.now();
let authority: Pem;
let directory: string;
let server: Server;
let port: number;
/** The tokens that requests carried, and the tokens that the server accepts. */
let came: (string | undefined)[];
let taken: Set<string>;
/** The responses to the next requests, in order. */
let refusals: { code: number; headers?: Record<string, string> }[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'capstan-client-'));
  [came, taken, refusals] = [[], new Set(['token-1', 'token-2']), []];
  const certificate = serverCertificate();
  authority = certificate.authority;
  server = createServer(certificate.options, ({ headers, url }, response) => {
    const token = headers.authorization?.replace('Bearer ', '');
    came.push(token);
    const refusal = refusals.shift();
    if (refusal) return void response.writeHead(refusal.code, refusal.headers).end('{"message":"busy"}');
    const isKnown = token !== undefined && taken.has(token);
    const body = isKnown ? { path: url } : { message: 'Unauthorized' };
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  port = address.port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

/** A plugin that counts its runs and prints its input. */
const script = `#!/bin/sh
cd "$(dirname "$0")"
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n > count
echo "$1 $COLOUR $KUBERNETES_EXEC_INFO" > told
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"token-%s","expirationTimestamp":"%s"}}' $n "$(cat until)"
`;
const runs = (): number => Number(readFileSync(join(directory, 'count'), 'utf8'));

const open = (user: object, cluster: object = { 'certificate-authority': 'ca.pem' }, prefix = '') => {
  writeFileSync(join(directory, 'ca.pem'), authority.certificate);
  writeFileSync(join(directory, 'until'), new Date(now + 3_600_000).toISOString());
  writeFileSync(join(directory, 'plugin'), script);
  chmodSync(join(directory, 'plugin'), 0o755);
  const path = join(directory, 'config');
  writeFileSync(
    path,
    stringify({
      clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}${prefix}`, ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
      'current-context': 'x',
    }),
  );
  return openClient(path);
};
const exec = (more: object = {}) => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', args: ['word'], ...more },
});

describe('a client with an exec plugin', () => {
  it('runs it once, as kubectl does, and caches its token', async () => {
    const client = open(exec({ env: [{ name: 'COLOUR', value: 'red' }] }), undefined, '/v1');
    expect(await client.json('GET', '/api')).toEqual({ path: '/v1/api' });
    await Promise.all([client.json('GET', '/api'), client.json('GET', '/api')]);
    expect([came, runs()]).toEqual([['token-1', 'token-1', 'token-1'], 1]);
    expect(readFileSync(join(directory, 'told'), 'utf8')).toMatch(/^word red .*"kind":"ExecCredential"/);
  });
  it('requests a new token when the old one expires', async () => {
    const client = open(exec());
    writeFileSync(join(directory, 'until'), new Date(now).toISOString());
    await client.json('GET', '/api');
    await client.json('GET', '/api');
    expect(came).toEqual(['token-1', 'token-2']);
  });
  it('requests a new token once after a 401', async () => {
    taken.delete('token-1');
    const client = open(exec());
    expect(await client.json('GET', '/api')).toEqual({ path: '/api' });
    taken.clear();
    await expect(client.json('GET', '/api')).rejects.toThrow('Unauthorized');
    expect(came).toEqual(['token-1', 'token-2', 'token-2', 'token-3']);
  });
  it.each([
    {
      what: 'does not exist',
      more: { command: './absent', installHint: 'run npm ci' },
      says: /there is no .*absent: run npm ci/,
    },
    {
      what: 'fails',
      more: { command: '/bin/sh', args: ['-c', 'echo error: no credentials >&2; exit 1'] },
      says: /^no token for this control plane: no credentials$/,
    },
    {
      what: 'prints something other than an ExecCredential',
      more: { command: '/bin/echo' },
      says: /did not print an ExecCredential/,
    },
  ])('reports that the plugin $what', async ({ more, says }) => {
    await expect(open(exec(more)).json('GET', '/api')).rejects.toThrow(says);
  });
});

describe('a client with a token', () => {
  it('trusts the certificate authority in the kubeconfig', async () => {
    const data = { 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') };
    expect(await open({ token: 'token-1' }, data).json('GET', '/api')).toEqual({ path: '/api' });
  });
  it('trusts no certificate authority that the kubeconfig omits', async () => {
    await expect(open({ token: 'token-1' }, {}).json('GET', '/api')).rejects.toThrow(/cannot reach/);
  });
  it('gives up a server that accepts the connection and never speaks TLS', async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port: other } = silent.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const accepted = once(silent, 'connection');
      const answer = open({ token: 'token-1' }, { server: `https://127.0.0.1:${other}` }).json('GET', '/api');
      const refused = expect(answer).rejects.toThrow(/cannot reach .*: no answer within 30 s/);
      await accepted;
      await vi.advanceTimersByTimeAsync(30_000);
      await refused;
    } finally {
      vi.useRealTimers();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    }
    // Less than the real time that must not pass.
  }, 20_000);
  it('reports a certificate authority file that it cannot read', () => {
    expect(() => open({ token: 'token-1' }, { 'certificate-authority': 'absent.pem' })).toThrow(/absent\.pem/);
  });
  it('passes on the message of a refusal and does not retry', async () => {
    await expect(open({ token: 'another' }).json('GET', '/api')).rejects.toThrow('Unauthorized');
    expect(came).toEqual(['another']);
  });
  it('retries a read after 429 without Retry-After, and a write only with it', async () => {
    const client = open({ token: 'token-1' });
    refusals = [{ code: 503 }];
    expect(await client.json('GET', '/api')).toEqual({ path: '/api' });
    refusals = [{ code: 503 }];
    await expect(client.json('PATCH', '/api', { body: '{}' })).rejects.toThrow('busy');
    refusals = [{ code: 429, headers: { 'retry-after': '1' } }];
    expect(await client.json('PATCH', '/api', { body: '{}' })).toEqual({ path: '/api' });
    expect(came).toHaveLength(5);
  });
});
