import { describe, expect, it } from 'vitest';
import { initUserData, joinUserData, secretPointer } from '../../test/simulation/user-data.ts';
import { kubeconfigOf, start, testPki } from '../../test/simulation/workload-bench.ts';
import {
  certificates,
  cloudController,
  endpoint,
  etcdAccess,
  hash,
  kubeconfig,
  openTestCluster,
  token,
  tokenObject,
} from '../../test/simulation/workload-cluster.ts';
import { conditionOf } from './objects.ts';

describe('a machine whose user data initialises a cluster', () => {
  it('becomes a control plane that responds, and workers join it through a one-time secret', async () => {
    const cluster = openTestCluster();
    const name = await cluster.init();
    expect(await cluster.workload.read('version', { kubeconfig })).toMatchObject({ gitVersion: 'v1.35.0' });

    const { userData, secrets } = secretPointer(
      joinUserData({ endpoint, token, hash }),
      'us-east-1',
      'aws.cluster.x-k8s.io/1',
    );
    expect(secrets.size).toBeGreaterThan(0);
    for (const [secret, data] of secrets) cluster.bench.secrets.set(secret, data);
    const worker = cluster.bench.boot('i-worker', userData);
    await cluster.ready(2);
    expect((await cluster.nodes()).map((node) => node.metadata.name).sort()).toEqual([name, worker].sort());
    expect(cluster.bench.secrets.size).toBe(0);
    await cluster.until(async () => {
      const pods = await cluster.pods('kube-system');
      return pods.length === 8 && pods.every((pod) => pod.status?.phase === 'Running');
    });
    const static_ = (await cluster.pods('kube-system')).filter((pod) => pod.metadata.labels?.tier === 'control-plane');
    expect(static_.map((pod) => pod.metadata.name).sort()).toEqual(
      ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map(
        (component) => `${component}-${name}`,
      ),
    );
    expect(cluster.bench.guests.console('i-worker')).toContain('This node has joined the cluster');
    expect(cluster.bench.errors).toEqual([]);
  });

  it('writes nothing once it has settled', async () => {
    const cluster = openTestCluster();
    await cluster.init({ externalCloud: false });
    cluster.join('i-worker');
    await cluster.ready(2);
    await cluster.clock.advance(60_000);
    const versions = async () =>
      (await Promise.all(['Node', 'Pod', 'ConfigMap', 'Secret', 'Event'].map((kind) => cluster.list(kind))))
        .flat()
        .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`);
    const before = await versions();
    // Less than Events live.
    await cluster.clock.advance(3_000_000);
    expect(await versions()).toEqual(before);
  });
});

describe('the API of a cluster', () => {
  const read = async (text: string) => {
    const cluster = openTestCluster();
    await cluster.init();
    return cluster.workload.read('list', { kubeconfig: text, apiVersion: 'v1', kind: 'Node' });
  };
  const otherAuthority = testPki.authority({ commonName: 'kubernetes', days: 1, now: start });

  it.each([
    { rule: 'accepts the administrator', text: kubeconfig, code: undefined },
    {
      rule: 'refuses a certificate of another authority',
      text: kubeconfigOf(endpoint, certificates, start, otherAuthority),
      code: 'Unauthorized',
    },
    {
      rule: 'forbids what no role allows',
      text: kubeconfigOf(endpoint, certificates, start, certificates.ca, ['dev']),
      code: 'Forbidden',
    },
    {
      rule: 'fails verification by a client of another authority',
      text: kubeconfigOf(endpoint, { ...certificates, ca: otherAuthority }, start),
      code: 'Unreachable',
    },
    {
      rule: 'does not listen on another port',
      text: kubeconfigOf('127.0.0.1:7443', certificates, start),
      code: 'Unreachable',
    },
    {
      rule: 'verifies under the names in its certificate',
      text: kubeconfigOf('localhost:6443', certificates, start),
      code: 'Unreachable',
    },
  ])('$rule', async ({ text, code }) => {
    if (code === undefined) expect((await read(text))?.items).toHaveLength(1);
    else await expect(read(text)).rejects.toMatchObject({ name: 'WorkloadError', code });
  });

  it('shows anonymous clients only cluster-info, and a bootstrap token only what kubeadm reads', async () => {
    const cluster = openTestCluster();
    await cluster.init();
    const [live] = cluster.bench.guests.clusters.all();
    const status = async (path: string, bearer?: string) => {
      const headers = bearer ? { Authorization: `Bearer ${bearer}` } : undefined;
      return (await live!.fetch(new Request(`https://${endpoint}${path}`, headers && { headers }), 'v1.35.0', {}))
        .status;
    };
    expect(await status('/api/v1/namespaces/kube-public/configmaps/cluster-info')).toBe(200);
    expect(await status('/api/v1/namespaces/kube-system/configmaps/kubeadm-config')).toBe(401);
    expect(await status('/api/v1/namespaces/kube-system/configmaps/kubeadm-config', token)).toBe(200);
    expect(await status('/api/v1/nodes', token)).toBe(403);
    expect(await status('/api/v1/namespaces/kube-system/configmaps/kubeadm-config', 'abcdef.fedcba9876543210')).toBe(
      401,
    );
  });
});

describe('a node with an external cloud provider', () => {
  it('is initialised only once a cloud controller manager runs on a control plane', async () => {
    const cluster = openTestCluster();
    await cluster.init({ externalCloud: true });
    const worker = cluster.join('i-worker', { externalCloud: true });
    await cluster.ready(2);
    await cluster.clock.advance(120_000);
    const node = async () => (await cluster.nodes()).find(({ metadata }) => metadata.name === worker)!;
    expect((await node()).spec?.taints?.map(({ key }) => key)).toEqual([
      'node.cloudprovider.kubernetes.io/uninitialized',
    ]);
    expect((await node()).spec?.providerID).toBeUndefined();
    await cluster.create(cloudController);
    await cluster.until(async () => (await node()).spec?.providerID !== undefined);
    expect((await node()).spec).toMatchObject({ providerID: 'aws:///us-east-1a/i-worker' });
    expect((await node()).spec?.taints).toBeUndefined();
    expect((await node()).metadata.labels).toMatchObject({
      'topology.kubernetes.io/zone': 'us-east-1a',
      'node.kubernetes.io/instance-type': 't3.large',
    });
    // A stopped instance may start again; the account has no terminated one.
    cluster.bench.guests.halt('i-worker');
    await cluster.until(async () => conditionOf(await node(), 'Ready')?.status === 'Unknown', 120);
    await cluster.clock.advance(120_000);
    expect(await node()).toBeDefined();
    cluster.bench.guests.halt('i-worker', true);
    await cluster.until(async () => (await cluster.nodes()).length === 1, 120);
  });
});

describe('a cluster that requires a CNI', () => {
  it('has ready nodes only where a DaemonSet installs one', async () => {
    const cluster = openTestCluster({ requireCni: true });
    const name = await cluster.init();
    await cluster.clock.advance(120_000);
    const node = async () => (await cluster.nodes()).find(({ metadata }) => metadata.name === name)!;
    expect(conditionOf(await node(), 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('cni plugin'),
    });
    await cluster.create({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { namespace: 'kube-system', name: 'calico-node' },
      spec: {
        selector: { matchLabels: { app: 'calico' } },
        template: {
          metadata: { labels: { app: 'calico' } },
          spec: {
            tolerations: [{ operator: 'Exists' }],
            hostNetwork: true,
            containers: [{ name: 'install', image: 'calico/node' }],
            volumes: [{ name: 'net', hostPath: { path: '/etc/cni/net.d' } }],
          },
        },
      },
    });
    await cluster.ready(1);
  });
});

describe('a cluster after a restart of the process', () => {
  it('gives out no revision of its etcd again', async () => {
    const cluster = openTestCluster();
    await cluster.init();
    const revision = () => cluster.bench.guests.clusters.all()[0]!.revision();
    const configMap = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name },
    });
    const before = revision();
    await cluster.create(configMap('a'));
    expect(revision()).toBeGreaterThan(before);
    const last = revision();
    cluster.restart();
    expect(revision()).toBeGreaterThanOrEqual(last);
    const restarted = revision();
    await cluster.create(configMap('b'));
    expect(revision()).toBeGreaterThan(restarted);
  });

  it('continues whatever was in progress', async () => {
    const cluster = openTestCluster();
    cluster.bench.boot('i-cp', initUserData({ certificates, endpoint }));
    for (let second = 0; second < 60 && !cluster.bench.guests.answers('i-cp', 6443, { protocol: 'HTTPS' }); second++) {
      await cluster.clock.advance(1000);
      cluster.restart();
    }
    await cluster.create(tokenObject());
    cluster.join('i-worker');
    cluster.join('i-cp-2', { certificates });
    for (let second = 0; second < 60; second++) {
      await cluster.clock.advance(1000);
      cluster.restart();
    }
    await cluster.ready(3);
    const names = (await cluster.nodes()).map(({ metadata }) => metadata.name);
    expect((await cluster.etcd(names)).members.map(({ isLearner }) => isLearner)).toEqual([false, false]);
    expect(await cluster.list('Secret')).toHaveLength(2);
    expect(cluster.bench.errors).toEqual([]);
  });
});

describe('etcd', () => {
  it('adds a voter with each control plane machine and drops one when a member is removed', async () => {
    const cluster = openTestCluster();
    const first = await cluster.init();
    const second = cluster.join('i-cp-2', { certificates });
    await cluster.ready(2);
    const third = cluster.join('i-cp-3', { certificates });
    await cluster.ready(3);
    const all = [first, second, third];
    const status = await cluster.etcd(all);
    expect(status.members.map(({ name }) => name)).toEqual(all);
    const member = (name: string) => status.members.find((one) => one.name === name)!.id;
    expect(status.leader).toBe(member(first));

    await cluster.workload.effect('etcdMoveLeader', { ...etcdAccess(all), to: member(third) });
    expect((await cluster.etcd([second])).leader).toBe(member(third));
    await cluster.workload.effect('etcdRemoveMember', { ...etcdAccess(all), memberID: member(first) });
    expect((await cluster.etcd([second])).members.map(({ name }) => name)).toEqual([second, third]);
    expect(cluster.bench.guests.answers('i-cp', 6443, { protocol: 'TCP' })).toBe(false);
    expect(await cluster.nodes()).toHaveLength(3);
    await expect(
      cluster.workload.effect('etcdRemoveMember', { ...etcdAccess(all), memberID: member(first) }),
    ).resolves.toBeUndefined();
  });

  it('serves requests only with a quorum', async () => {
    const cluster = openTestCluster();
    await cluster.init();
    cluster.join('i-cp-2', { certificates });
    await cluster.ready(2);
    const [instance] = cluster.bench.guests.guests().filter((guest) => guest.instance.instanceId === 'i-cp-2');
    cluster.bench.guests.halt('i-cp-2');
    await expect(cluster.nodes()).rejects.toMatchObject({ code: 'Unreachable' });
    expect(cluster.bench.guests.answers('i-cp', 6443, { protocol: 'TCP' })).toBe(true);
    expect(cluster.bench.guests.answers('i-cp', 6443, { protocol: 'HTTPS' })).toBe(false);
    cluster.bench.guests.boot(instance!.instance);
    await cluster.ready(2);
  });

  it('loses its data with its last member', async () => {
    const cluster = openTestCluster();
    await cluster.init();
    cluster.bench.guests.halt('i-cp');
    expect(cluster.bench.guests.clusters.all()).toEqual([]);
    cluster.restart();
    expect(cluster.bench.guests.clusters.all()).toEqual([]);
  });

  it('refuses a client of another authority, and is reached only through the node of a member', async () => {
    const cluster = openTestCluster();
    const name = await cluster.init();
    const worker = cluster.join('i-worker');
    await cluster.ready(2);
    const unknownClient = testPki.issue({
      commonName: 'x',
      usages: ['client'],
      ca: certificates.ca,
      days: 1,
      now: start,
    });
    const read = (change: object) => cluster.workload.read('etcd', { ...etcdAccess([name]), ...change });
    await expect(
      read({ clientCertificate: unknownClient.certificate, clientKey: unknownClient.key }),
    ).rejects.toMatchObject({
      code: 'Unreachable',
    });
    await expect(read({ caCertificate: certificates.ca.certificate })).rejects.toMatchObject({ code: 'Unreachable' });
    await expect(read({ nodes: [worker] })).rejects.toMatchObject({ code: 'NotFound' });
    await expect(read({ nodes: [worker, name] })).resolves.toMatchObject({ members: [{ name }] });
  });

  it('reports when the serving certificate of a node expires', async () => {
    const cluster = openTestCluster();
    const node = await cluster.init();
    await cluster.until(async () => (await cluster.pods('kube-system')).length > 0);
    const expiry = await cluster.workload.read('servingCertificate', { kubeconfig, node });
    expect(Date.parse(expiry!.notAfter) - cluster.clock.now()).toBeGreaterThan(364 * 24 * 3_600_000);
  });

  it('do not cover an endpoint that kubeadm did not know', async () => {
    const cluster = openTestCluster();
    const node = await cluster.init({ cluster: { apiServer: { certSANs: ['127.0.0.1'] } } });
    await cluster.until(async () => (await cluster.pods('kube-system')).length > 0);
    const [live] = cluster.bench.guests.clusters.all();
    const map = (await live!.get('configmaps', 'kube-system', 'kubeadm-config')) as { data?: Record<string, string> };
    const ClusterConfiguration = map
      .data!.ClusterConfiguration!.replace(/ *- 127.0.0.1\n/, '    []\n')
      .replace(/controlPlaneEndpoint: .*/, 'controlPlaneEndpoint: 10.0.0.10:6443');
    expect(ClusterConfiguration).toContain('10.0.0.10');
    await cluster.patch('ConfigMap', 'v1', 'kubeadm-config', { data: { ClusterConfiguration } }, 'kube-system');
    const other = cluster.join('i-other', { certificates });
    await cluster.ready(2);
    const covers = async (of: string) =>
      (await cluster.workload.read('servingCertificate', { kubeconfig, node: of }))?.coversEndpoint;
    expect([await covers(node), await covers(other)]).toEqual([true, false]);
  });
});

describe('a machine that goes down', () => {
  it('loses its node after a while, and its pods with the Node', async () => {
    const cluster = openTestCluster();
    await cluster.init();
    const worker = cluster.join('i-worker');
    await cluster.ready(2);
    await cluster.until(async () => (await cluster.pods()).filter((pod) => pod.spec?.nodeName === worker).length > 0);
    cluster.bench.guests.halt('i-worker');
    const node = async () => (await cluster.nodes()).find(({ metadata }) => metadata.name === worker);
    expect(cluster.isReady((await node())!)).toBe(true);
    await cluster.clock.advance(60_000);
    expect(conditionOf(await node(), 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
    expect((await node())?.spec?.taints?.map(({ key }) => key)).toContain('node.kubernetes.io/unreachable');
    const lost = (await cluster.pods()).find((pod) => pod.spec?.nodeName === worker)!;
    expect(conditionOf(lost, 'Ready')?.status).toBe('False');
    await cluster.workload.effect('delete', { kubeconfig, apiVersion: 'v1', kind: 'Node', name: worker });
    await cluster.until(async () => (await cluster.pods()).every((pod) => pod.spec?.nodeName !== worker));
    expect(await node()).toBeUndefined();
  });
});
