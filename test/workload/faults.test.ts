/** Failures between a worker and a real cluster, and the recovery from them. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { startProxy } from '../../adapters/workload/servers.fixture.ts';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { certify } from './certificates.ts';
import { until } from './processes.ts';
import { kubeconfigOf, type RealCluster, startCluster, tokenKubeconfigOf } from './real-cluster.ts';

let cluster: RealCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

const transport = httpsTransport({ timeout: 10_000, forwardTimeout: 2000 });
const workload = createWorkload({ transport });
const members = async (nodes?: string[]) => (await workload.read('etcd', cluster.etcdAccess(nodes)))?.members.length;
const version = (kubeconfig = cluster.kubeconfig) => workload.read('version', { kubeconfig });

/** Replaces a port of a pod. */
const standIns: Server[] = [];
const standIn = async (server: Server): Promise<string> => {
  standIns.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
afterEach(async () => {
  cluster.forward();
  // A connection to etcd outlives its last request by a few milliseconds, and must not reach the next test.
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const server of standIns.splice(0)) server.close();
});

/** An etcd of node-a whose gateway returns this, over real TLS. */
const gatewayOf = (answer: string): Server => {
  const { certificate, key } = certify(cluster.authorities.etcd, ['server'], { name: 'node-a', names: ['node-a'] });
  return createTlsServer({ cert: certificate, key }, (incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.end(answer));
  });
};
const list = '/v3/cluster/member/list';
const ask = () => {
  const { kubeconfig, nodes: _, ...proof } = cluster.etcdAccess();
  return transport.etcd({ connection: connectionOf(kubeconfig), node: 'node-a', ...proof }, list, {});
};

describe('a forwarded port', () => {
  it('delivers responses of any size through kubelet and API server', async () => {
    const answer = { text: 'x'.repeat(20 * 1024 * 1024) };
    cluster.forward({ 'etcd-node-a': { 2379: await standIn(gatewayOf(JSON.stringify(answer))) } });
    expect(await ask()).toEqual(answer);
  });

  it('leaves nothing behind on the node', async () => {
    const open = new Set<Socket>();
    const server = gatewayOf('{}');
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    cluster.forward({ 'etcd-node-a': { 2379: await standIn(server) } });
    for (let i = 0; i < 20; i++) await ask();
    await vi.waitFor(() => expect(open.size).toBe(0), 5000);
  });

  it('that refuses connections is reported', async () => {
    cluster.forward({ 'etcd-node-a': { 2379: '127.0.0.1:1' } });
    const refused = ask();
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
    await expect(refused).rejects.toThrow(/error forwarding port 2379 to pod etcd-node-a.*connection refused/);
  });

  it('that does not answer times out, and another node is used', async () => {
    cluster.forward({ 'etcd-node-a': { 2379: await standIn(createServer((socket) => void socket.resume())) } });
    await expect(ask()).rejects.toMatchObject({ name: 'WorkloadError', code: 'Timeout' });
    expect(await members()).toBe(3);
  });

  it('whose connection ends in the middle of a response fails', async () => {
    const server = createTlsServer(certifiedFor('node-a'), (incoming, outgoing) => {
      incoming.resume().on('end', () => {
        outgoing.write('{"members":');
        setTimeout(() => outgoing.socket?.destroy(), 50);
      });
    });
    cluster.forward({ 'etcd-node-a': { 2379: await standIn(server) } });
    await expect(ask()).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
    expect(await members()).toBe(3);
  });

  it('needs a role that allows it', async () => {
    const name = 'etcd-reader';
    await cluster.request('POST', '/api/v1/namespaces/kube-system/serviceaccounts', { metadata: { name } });
    const { status } = (await cluster.request(
      'POST',
      `/api/v1/namespaces/kube-system/serviceaccounts/${name}/token`,
      {},
    )) as { status: { token: string } };
    const { server, authorities } = cluster;
    const kubeconfig = tokenKubeconfigOf(server, authorities.cluster.certificate, status.token);
    const access = { ...cluster.etcdAccess(), kubeconfig };
    await expect(workload.read('etcd', access)).rejects.toMatchObject({ name: 'WorkloadError', code: 'Forbidden' });
    const metadata = { name, namespace: 'kube-system' };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const apiGroup = 'rbac.authorization.k8s.io';
    const role: JsonObject = {
      ...{ apiVersion, kind: 'Role', metadata },
      rules: [{ apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] }],
    };
    const binding: JsonObject = {
      ...{ apiVersion, kind: 'RoleBinding', metadata, roleRef: { apiGroup, kind: 'Role', name } },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'kube-system' }],
    };
    for (const object of [role, binding]) await workload.effect('create', { kubeconfig: cluster.kubeconfig, object });
    await until(async () => (await workload.read('etcd', access))?.members.length === 3, 10);
  });

  it('is reachable through a proxy', async () => {
    const proxy = await startProxy();
    const behind = httpsTransport({ proxy: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
    const read = createWorkload({ transport: behind }).read;
    expect((await read('etcd', cluster.etcdAccess()))?.members).toHaveLength(3);
    expect(await read('servingCertificate', { kubeconfig: cluster.kubeconfig, node: 'node-a' })).toBeDefined();
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${cluster.apiPort}`]));
    await proxy.close();
  });
});

const certifiedFor = (name: string) => {
  const { certificate, key } = certify(cluster.authorities.etcd, ['server'], { name, names: [name] });
  return { cert: certificate, key };
};

describe('a stopped kubelet', () => {
  it('makes its node Unreachable for forwarded ports until it is back', async () => {
    await cluster.stopProcess('kubelet');
    const refused = members();
    await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'InternalError' });
    await expect(refused).rejects.toThrow(/error dialing backend.*connection refused/);
    cluster.startKubelet();
    await until(async () => (await members()) === 3, 20);
  });
});

describe('stopped etcd members', () => {
  it('are skipped while there is a quorum, and without one etcd is unreadable', async () => {
    await cluster.stopProcess('node-a');
    await until(async () => (await members()) === 3, 30);
    await cluster.stopProcess('node-b');
    await expect(members()).rejects.toMatchObject({
      name: 'WorkloadError',
      code: expect.stringMatching(/^(Unreachable|Timeout)$/),
    });
    cluster.startMember('node-a');
    cluster.startMember('node-b');
    await until(async () => (await members()) === 3, 60);
  });
});

describe('an API server', () => {
  it('that restarts with a new certificate is Unreachable meanwhile, and trusted afterwards', async () => {
    const { kubeconfig } = cluster;
    const expiry = async () =>
      (await workload.read('servingCertificate', { kubeconfig, node: 'node-a' }))?.notAfter ?? '';
    const shown = () => new X509Certificate(cluster.apiCertificate()).validToDate.getTime();
    const before = await expiry();
    expect(Date.parse(before)).toBe(shown());
    await version();
    await cluster.stopProcess('kube-apiserver', 'SIGTERM');
    await expect(version()).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
    cluster.startApiServer({ days: 9 });
    await until(async () => (await version()) !== undefined, 90);
    expect(shown()).toBeGreaterThan(Date.parse(before));
    expect(Date.parse(await expiry())).toBe(shown());
  });

  it('authenticates the client by its current certificate', async () => {
    const { authorities, server, kubeconfig } = cluster;
    const renewed = kubeconfigOf(
      server,
      authorities.cluster.certificate,
      certify(authorities.cluster, ['client'], { name: 'renewed' }),
    );
    const nodes = (text: string) => workload.read('list', { kubeconfig: text, apiVersion: 'v1', kind: 'Node' });
    expect((await nodes(kubeconfig))?.items).toHaveLength(3);
    await expect(nodes(renewed)).rejects.toThrow('User "renewed" cannot list resource "nodes"');
    expect((await nodes(kubeconfig))?.items).toHaveLength(3);
  });

  it('that is suspended causes a Timeout, and answers when it continues', async () => {
    const quick = createWorkload({ transport: httpsTransport({ timeout: 500 }) });
    await quick.read('version', { kubeconfig: cluster.kubeconfig });
    cluster.signal('kube-apiserver', 'SIGSTOP');
    await expect(quick.read('version', { kubeconfig: cluster.kubeconfig })).rejects.toMatchObject({ code: 'Timeout' });
    cluster.signal('kube-apiserver', 'SIGCONT');
    await until(async () => (await quick.read('version', { kubeconfig: cluster.kubeconfig })) !== undefined, 20);
  });
});
