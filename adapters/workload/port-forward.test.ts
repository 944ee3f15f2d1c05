/** Ports of pods, forwarded by an API server, and etcd behind them. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { httpsTransport } from './https-transport.ts';
import {
  type Closing,
  ca,
  certify,
  connectionTo,
  etcdAt,
  etcdCa,
  etcdService,
  startApi,
  startProxy,
  startRelay,
} from './servers.fixture.ts';

const closing: Closing[] = [];
const keep = async <T extends Closing>(started: Promise<T>): Promise<T> => {
  const one = await started;
  closing.unshift(one);
  return one;
};
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
const list = '/v3/cluster/member/list';

describe('etcd', () => {
  it('receives one request at a time on one connection, which closes soon afterwards', async () => {
    const asked: string[] = [];
    const api = await keep(
      startApi({
        forward: async () =>
          etcdService(async (request) => {
            asked.push(new URL(request.url).pathname);
            return Response.json(await request.json());
          }),
      }),
    );
    const relay = await keep(startRelay(api.port));
    const etcd = etcdAt(connectionTo(relay.port));
    const transport = httpsTransport();
    for (let i = 0; i < 3; i++) expect(await transport.etcd(etcd, list, { i })).toEqual({ i });
    expect(await Promise.all([4, 5].map((i) => transport.etcd(etcd, list, { i })))).toEqual([{ i: 4 }, { i: 5 }]);
    expect(asked).toHaveLength(5);
    expect(relay.made()).toBe(1);
    await vi.waitFor(() => expect(relay.open()).toBe(0));
    await transport.etcd(etcd, list, {});
    expect(relay.made()).toBe(2);
  });

  it('may return responses of any size, with back-pressure', async () => {
    const text = 'x'.repeat(20 * 1024 * 1024);
    const api = await keep(startApi({ forward: async () => etcdService(async () => Response.json({ text })) }));
    expect(await httpsTransport().etcd(etcdAt(connectionTo(api.port)), list, {})).toEqual({ text });
  });

  it('accepts requests of any size', async () => {
    const text = 'x'.repeat(5 * 1024 * 1024);
    const gateway = async (request: Request) => Response.json({ length: (await request.text()).length });
    const api = await keep(startApi({ forward: async () => etcdService(gateway) }));
    const answer = await httpsTransport().etcd(etcdAt(connectionTo(api.port)), list, { text });
    expect(answer).toEqual({ length: JSON.stringify({ text }).length });
  });

  it.each([
    { status: 503, code: 14, becomes: 'Unreachable' },
    { status: 400, code: 9, becomes: 'Conflict' },
    { status: 404, code: 5, becomes: 'NotFound' },
    { status: 504, code: 4, becomes: 'Timeout' },
    { status: 500, code: 13, becomes: 'InternalError' },
  ])('maps the error $code to $becomes', async ({ status, code, becomes }) => {
    const gateway = async () => Response.json({ error: 'etcdserver: no', code, message: 'etcdserver: no' }, { status });
    const api = await keep(startApi({ forward: async () => etcdService(gateway) }));
    const refused = httpsTransport().etcd(etcdAt(connectionTo(api.port)), list, {});
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: becomes, message: 'etcdserver: no' });
  });

  it('without its gRPC gateway is reported as such', async () => {
    const gateway = async () => new Response('404 page not found\n', { status: 404 });
    const api = await keep(startApi({ forward: async () => etcdService(gateway) }));
    const refused = httpsTransport().etcd(etcdAt(connectionTo(api.port)), list, {});
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'InternalError' });
    await expect(refused).rejects.toThrow('etcd on node-a answered /v3/cluster/member/list with 404');
  });

  it.each([
    { rule: 'for its node', sans: ['node-a'], trusted: true },
    { rule: 'for localhost only', sans: ['localhost', '127.0.0.1'], trusted: true },
    { rule: 'for another node', sans: ['node-b'], trusted: false },
  ])('is trusted with a certificate $rule: $trusted', async ({ sans, trusted }) => {
    const identity = certify(etcdCa, 'etcd', 'server', sans);
    const api = await keep(startApi({ forward: async () => etcdService(async () => Response.json({}), identity) }));
    const answer = httpsTransport().etcd(etcdAt(connectionTo(api.port)), list, {});
    if (trusted) await expect(answer).resolves.toEqual({});
    else await expect(answer).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
  });

  it('is reachable again after a connection broke in the middle of a response', async () => {
    let answer: () => Promise<Response> = () => new Promise(() => undefined);
    const api = await keep(startApi({ forward: async () => etcdService(() => answer()) }));
    const relay = await keep(startRelay(api.port));
    const etcd = etcdAt(connectionTo(relay.port));
    const transport = httpsTransport();
    const cut = transport.etcd(etcd, list, {});
    cut.catch(() => undefined);
    await vi.waitFor(() => expect(relay.open()).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 200));
    relay.cut();
    await expect(cut).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
    answer = async () => Response.json({ well: true });
    expect(await transport.etcd(etcd, list, {})).toEqual({ well: true });
  });

  it('times out when it does not answer, and its connection is closed', async () => {
    const api = await keep(startApi({ forward: async () => etcdService(() => new Promise(() => undefined)) }));
    const relay = await keep(startRelay(api.port));
    const silent = httpsTransport({ timeout: 300 }).etcd(etcdAt(connectionTo(relay.port)), list, {});
    await expect(silent).rejects.toMatchObject({ name: 'WorkloadError', code: 'Timeout' });
    await vi.waitFor(() => expect(relay.open()).toBe(0));
  });
});

describe('a port', () => {
  it('is not forwarded for a user whom the API server denies', async () => {
    const status = { kind: 'Status', reason: 'Forbidden', message: 'pods "etcd-node-a" is forbidden', code: 403 };
    const api = await keep(startApi({ forward: async () => Response.json(status, { status: 403 }) }));
    const relay = await keep(startRelay(api.port));
    const refused = httpsTransport().etcd(etcdAt(connectionTo(relay.port)), list, {});
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'Forbidden', message: status.message });
    await vi.waitFor(() => expect(relay.open()).toBe(0));
  });

  it('that refuses connections is reported with the reason', async () => {
    const anonymous = { identity: () => undefined, fetch: async () => Response.error() };
    const api = await keep(startApi({ forward: async () => anonymous }));
    const relay = await keep(startRelay(api.port));
    const refused = httpsTransport().etcd(etcdAt(connectionTo(relay.port)), list, {});
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
    await expect(refused).rejects.toThrow('connect: connection refused');
    await vi.waitFor(() => expect(relay.open()).toBe(0));
  });

  it('is awaited only up to the timeout', async () => {
    const api = await keep(startApi({ forward: () => new Promise(() => undefined) }));
    const relay = await keep(startRelay(api.port));
    const silent = httpsTransport({ forwardTimeout: 200 }).etcd(etcdAt(connectionTo(relay.port)), list, {});
    await expect(silent).rejects.toMatchObject({ name: 'WorkloadError', code: 'Timeout' });
    await vi.waitFor(() => expect(relay.open()).toBe(0));
  });

  it('differs from a port whose TLS handshake never ends', async () => {
    const accepting: Socket[] = [];
    const silent = createServer((socket) => accepting.push(socket.resume())).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const slow = httpsTransport({ forwardTimeout: 200 }).etcd(etcdAt(connectionTo(port)), list, {});
    await expect(slow).rejects.toMatchObject({ name: 'WorkloadError', code: 'Timeout' });
    for (const socket of accepting) socket.destroy();
    silent.close();
  });

  it('is not requested from a server with an untrusted certificate', async () => {
    const strange = certify(etcdCa, 'kube-apiserver', 'server', ['127.0.0.1']);
    const api = await keep(startApi({ identity: () => strange, forward: async () => Response.error() }));
    const refused = httpsTransport().etcd(etcdAt(connectionTo(api.port)), list, {});
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
  });

  it('is reachable through a proxy', async () => {
    const api = await keep(startApi({ forward: async () => etcdService(async () => Response.json({ well: true })) }));
    const proxy = await keep(startProxy());
    const transport = httpsTransport({ proxy: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
    expect(await transport.etcd(etcdAt(connectionTo(api.port, 'api.example.com')), list, {})).toEqual({ well: true });
    expect(proxy.asked).toEqual([`api.example.com:${api.port}`]);
  });
});

describe('the certificate of an API server', () => {
  const expired = certify(ca, 'kube-apiserver', 'server', ['127.0.0.1']);
  const pod = (annotations: object) => Response.json({ metadata: { annotations } });

  it.each([
    {
      rule: 'at the endpoint in kubeadm’s annotation',
      annotations: { 'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint': '10.0.0.1:7443' },
      port: '7443',
    },
    { rule: 'at the default port without kubeadm’s annotation', annotations: {}, port: '6443' },
  ])('is read $rule', async ({ annotations, port }) => {
    const asked: string[] = [];
    const api = await keep(
      startApi({
        fetch: async () => pod(annotations),
        forward: async (request) => {
          asked.push(new URL(request.url).searchParams.get('ports') ?? '');
          return { identity: () => expired, fetch: async () => Response.error() };
        },
      }),
    );
    const relay = await keep(startRelay(api.port));
    const seen = await httpsTransport().certificate(connectionTo(relay.port), 'node-a');
    expect(seen.replaceAll(/\s/g, '')).toBe(expired.certificate.replaceAll(/\s/g, ''));
    expect(asked).toEqual([port]);
    await vi.waitFor(() => expect(relay.open()).toBeLessThanOrEqual(1));
  });
});

describe('a request to the API server of a node', () => {
  const pod = Response.json({ metadata: {} });
  const request = (url: string) => new Request(`${url}/version?of=it`, { method: 'POST', body: 'content' });
  const openNode = async (identity: ReturnType<typeof certify>) => {
    const api = await keep(
      startApi({
        fetch: async () => pod.clone(),
        forward: async () => ({
          identity: () => ({ ...identity, clientAuthorities: ca.certificate }),
          fetch: async (sent, { clientCertificate }) => {
            if (!clientCertificate) return Response.error();
            const { pathname, search } = new URL(sent.url);
            return new Response(`${sent.method} ${pathname}${search} ${await sent.text()}`, { status: 418 });
          },
        }),
      }),
    );
    return keep(startRelay(api.port));
  };

  it('reaches that one, with the client certificate', async () => {
    const relay = await openNode(certify(ca, 'kube-apiserver', 'server', ['127.0.0.1']));
    const connection = connectionTo(relay.port);
    const answer = await httpsTransport().fetchOn(connection, 'node-a', request(connection.server));
    expect([answer.status, await answer.text()]).toEqual([418, 'POST /version?of=it content']);
    await vi.waitFor(() => expect(relay.open()).toBeLessThanOrEqual(1));
  });

  it('is not sent to a server with an untrusted certificate', async () => {
    const relay = await openNode(certify(etcdCa, 'kube-apiserver', 'server', ['127.0.0.1']));
    const connection = connectionTo(relay.port);
    await expect(httpsTransport().fetchOn(connection, 'node-a', request(connection.server))).rejects.toMatchObject({
      name: 'WorkloadError',
      code: 'Unreachable',
    });
  });
});
