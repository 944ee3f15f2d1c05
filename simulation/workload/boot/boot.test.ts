import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { initUserData, joinUserData, secretPointer } from '../../../test/simulation/user-data.ts';
import { certificatesAt, hashOf, start } from '../../../test/simulation/workload-bench.ts';
import {
  certificates,
  endpoint,
  hash,
  kubeconfig,
  openTestCluster,
  token,
  tokenObject,
} from '../../../test/simulation/workload-cluster.ts';

const join = (change: object = {}) => joinUserData({ endpoint, token, hash, ...change });
const other = certificatesAt(start);

describe('a machine that cannot join reports why and does not affect the cluster', () => {
  it.each<{ rule: string; userData: string; says: string; image?: string }>([
    { rule: 'wrong CA hash', userData: join({ hash: hashOf(other) }), says: 'none of the public keys "sha256:' },
    {
      rule: 'unknown token',
      userData: join({ token: 'zzzzzz.0123456789abcdef' }),
      says: 'could not find a JWS signature in the cluster-info ConfigMap for token ID "zzzzzz"',
    },
    {
      rule: "another token's secret",
      userData: join({ token: 'abcdef.ffffffffffffffff' }),
      says: 'failed to verify JWS signature',
    },
    { rule: 'expired token', userData: join({ token: 'expire.0123456789abcdef' }), says: 'for token ID "expire"' },
    {
      rule: 'wrong endpoint',
      userData: join({ endpoint: '127.0.0.1:7000' }),
      says: 'dial tcp 127.0.0.1:7000: connect: connection refused',
    },
    { rule: 'malformed token', userData: join({ token: 'nonsense' }), says: 'the bootstrap token is invalid' },
    {
      rule: 'newer than the control plane',
      userData: join(),
      image: 'capa-ami-ubuntu-24.04-v1.36.0-1',
      says: 'the kubelet version is higher than the control plane version',
    },
    {
      rule: 'much older than the control plane',
      userData: join(),
      image: 'capa-ami-ubuntu-24.04-v1.31.9-1',
      says: 'the kubelet version is too old',
    },
    {
      rule: 'a document newer than kubeadm',
      userData: join(),
      image: 'capa-ami-ubuntu-24.04-v1.30.9-1',
      says: 'no kind "JoinConfiguration" is registered for version "kubeadm.k8s.io/v1beta4"',
    },
    {
      rule: 'an image without kubeadm',
      userData: join(),
      image: 'amazon-linux-2023',
      says: 'kubeadm: command not found',
    },
    {
      rule: 'a control plane without certificates',
      userData: join({ document: { controlPlane: {} } }),
      says: "couldn't load the certificate file /etc/kubernetes/pki/ca.crt",
    },
    {
      rule: "another cluster's certificates",
      userData: join({ certificates: { ...certificates, etcd: other.etcd } }),
      says: 'the etcd CA certificate is not that of the cluster',
    },
    {
      rule: 'an unknown field',
      userData: join({ document: { nodeRegistraton: {} } }),
      says: 'unknown field "nodeRegistraton"',
    },
    {
      rule: 'a field of the wrong type',
      userData: join({ document: { skipPhases: 'none' } }),
      says: 'cannot unmarshal string into Go struct field skipPhases',
    },
    {
      rule: 'a list of arguments as a map',
      userData: join({ externalCloud: true }).replace(
        /- name: cloud-provider\n\s+value: external/,
        'cloud-provider: external',
      ),
      says: 'nodeRegistration.kubeletExtraArgs of type slice',
    },
    {
      rule: 'a flag that the kubelet no longer has',
      userData: join({ externalCloud: true }).replace('- name: cloud-provider', '- name: pod-infra-container-image'),
      says: 'unknown flag: --pod-infra-container-image',
    },
    {
      rule: 'a label that a Node may not give itself',
      userData: join({ externalCloud: true }).replace(
        /- name: cloud-provider\n(\s+)value: external/,
        '- name: node-labels\n$1value: node-role.kubernetes.io/infra=',
      ),
      says: "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/infra]",
    },
    { rule: 'broken YAML', userData: join().replace('runcmd:', 'runcmd: ['), says: 'Failed loading yaml blob' },
    { rule: 'broken Jinja', userData: join().replace('local_hostname }}', 'local_hostname'), says: 'cloud-init:' },
    {
      rule: 'an unknown variable',
      userData: join().replace('ds.meta_data.local_hostname', 'ds.meta_data.nonsense'),
      says: 'ci_missing_jinja_var/nonsense',
    },
    {
      rule: 'no cloud-config',
      userData: 'hello',
      says: "Unhandled non-multipart (text/x-not-multipart) userdata: 'hello",
    },
    { rule: 'no user data', userData: '', says: 'no cloud-config in the user data' },
    {
      rule: 'an unknown flag',
      userData: join().replace('kubeadm join', 'kubeadm join --nonsense'),
      says: 'unknown flag: --nonsense',
    },
    {
      rule: 'a file that does not exist',
      userData: join().replaceAll('--config /run/kubeadm/', '--config /run/nowhere/'),
      says: 'open /run/nowhere/kubeadm-join-config.yaml: no such file or directory',
    },
    {
      rule: 'a missing secret',
      userData: secretPointer(join(), 'us-east-1', 'aws.cluster.x-k8s.io/1').userData,
      says: 'could not get secret value aws.cluster.x-k8s.io/1-0',
    },
  ])('$rule', async ({ userData, says, image }) => {
    const cluster = openTestCluster();
    await cluster.init();
    await cluster.create(tokenObject('expire.0123456789abcdef', '2026-11-21T12:00:50Z'));
    await cluster.clock.advance(60_000);
    cluster.bench.boot('i-bad', userData, image ? { imageName: image } : {});
    await cluster.clock.advance(400_000);
    expect(cluster.bench.guests.console('i-bad')).toContain(says);
    expect(cluster.bench.guests.console('i-bad')).toContain('finished');
    expect(await cluster.nodes()).toHaveLength(1);
    expect(cluster.bench.guests.clusters.all()[0]!.record.etcd.members).toHaveLength(1);
    cluster.join('i-good');
    await cluster.ready(2);
    expect(cluster.bench.errors).toEqual([]);
    cluster.bench.guests.halt('i-bad');
    cluster.bench.guests.forget('i-bad');
    expect(cluster.bench.guests.console('i-bad')).toBe('');
    expect(cluster.bench.guests.guests().map(({ instance }) => instance.instanceId)).not.toContain('i-bad');
  });
});

describe('kubeadm init', () => {
  const init = (change: object = {}) => initUserData({ certificates, endpoint, ...change });
  it.each<{ rule: string; userData: string; says: string; instance?: object }>([
    {
      rule: 'refuses a control plane newer than kubeadm',
      userData: init({ version: 'v1.36.0' }),
      says: 'this version of kubeadm only supports deploying clusters',
    },
    {
      rule: 'refuses a control plane older than the kubelet',
      userData: init({ version: 'v1.34.2' }),
      says: 'the kubelet version is higher than the control plane version',
    },
    {
      rule: 'refuses an invalid version',
      userData: init({ version: 'latest' }),
      says: 'could not parse as version',
    },
    {
      rule: 'refuses a CA whose key does not match',
      userData: init({ certificates: { ...certificates, ca: { ...certificates.ca, key: other.ca.key } } }),
      says: 'do not belong to one certificate authority',
    },
    {
      rule: 'refuses an invalid subnet',
      userData: init({ cluster: { networking: { podSubnet: '10.0.0.0' } } }),
      says: 'networking.podSubnet: Invalid value',
    },
    {
      rule: 'refuses an unknown field deep inside',
      userData: init({ cluster: { apiServer: { certSans: [] } } }),
      says: 'unknown field "apiServer.certSans"',
    },
    {
      rule: 'waits in vain for an API server that exits',
      userData: init({ cluster: { apiServer: { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } } }),
      says: 'kube-apiserver: Error: unknown flag: --cloud-provider',
    },
    {
      rule: 'waits in vain for an etcd that exits',
      userData: init({
        cluster: { etcd: { local: { imageTag: '3.7.0-0', extraArgs: [{ name: 'proxy', value: 'readonly' }] } } },
      }),
      says: 'etcd: flag provided but not defined: -proxy',
    },
    {
      rule: 'refuses an unreachable external etcd',
      userData: init({
        cluster: {
          etcd: { external: { endpoints: ['https://10.9.9.9:2379'], caFile: '', certFile: '', keyFile: '' } },
        },
      }),
      says: 'ExternalEtcdVersion',
    },
    {
      rule: 'refuses a small host',
      userData: init(),
      instance: { vcpus: 1, memoryMiB: 1024 },
      says: '[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2\n\t[ERROR Mem]',
    },
    {
      rule: 'refuses a socket without a container runtime',
      userData: init({ node: { criSocket: '/var/run/dockershim.sock' } }),
      says: '[ERROR CRI]: container runtime is not running: /var/run/dockershim.sock',
    },
    {
      rule: 'refuses a data directory that is a file system',
      userData: init({ cluster: { etcd: { local: { dataDir: '/data' } } } }).replace(
        'runcmd:',
        'mounts:\n- [/dev/nvme1n1, /data, ext4]\nruncmd:',
      ),
      says: '[ERROR DirAvailable--data]: /data is not empty',
    },
    {
      rule: 'reads the policy that a command writes',
      userData: init({
        cluster: {
          apiServer: {
            extraArgs: [{ name: 'audit-policy-file', value: '/etc/audit/policy.yaml' }],
            extraVolumes: [{ name: 'audit', hostPath: '/etc/audit', mountPath: '/etc/audit' }],
          },
        },
      }).replace(
        'runcmd:',
        "runcmd:\n  - |\n    cat <<'EOF' > /etc/audit/policy.yaml\n    apiVersion: audit.k8s.io/v1\n    kind: Policy\n    EOF",
      ),
      says: 'loading /etc/audit/policy.yaml: loaded illegal policy with 0 rules',
    },
  ])('$rule', async ({ userData, says, instance }) => {
    const { bench, clock } = openTestCluster();
    bench.boot('i-cp', userData, instance);
    await clock.advance(120_000);
    expect(bench.guests.console('i-cp')).toContain(says);
    expect(bench.guests.answers('i-cp', 6443, { protocol: 'TCP' })).toBe(false);
    expect(bench.guests.clusters.all()).toEqual([]);
  });

  it.each([
    { rule: 'plain', data: (text: string) => text },
    { rule: 'gzip', data: (text: string) => new Uint8Array(gzipSync(text)) },
    {
      rule: 'a MIME part',
      data: (text: string) =>
        `Content-Type: multipart/mixed; boundary="x"\nMIME-Version: 1.0\n\n--x\nContent-Type: text/cloud-config\nContent-Transfer-Encoding: base64\n\n${Buffer.from(text).toString('base64')}\n--x--\n`,
    },
  ])('reads user data as $rule', async ({ data }) => {
    const { bench, clock } = openTestCluster();
    bench.boot('i-cp', data(init()));
    await clock.advance(60_000);
    expect(bench.guests.answers('i-cp', 6443, { protocol: 'HTTPS', path: '/readyz' })).toBe(true);
    expect(bench.guests.answers('i-cp', 443, { protocol: 'TCP' })).toBe(false);
  });

  it.each([
    { version: 'v1.29.3', image: '22.04-1.29.3', passes: ['TCP', 'SSL', 'HTTPS'] },
    { version: 'v1.35.0', image: '24.04-v1.35.0', passes: ['TCP'] },
  ])('passes the $passes checks of a classic load balancer in $version', async ({ version, image, passes }) => {
    const { bench, clock } = openTestCluster();
    const data = version === 'v1.29.3' ? init({ version }).replaceAll('v1beta4', 'v1beta3') : init({ version });
    bench.boot('i-cp', data, { imageName: `capa-ami-ubuntu-${image}-1700000000` });
    await clock.advance(60_000);
    const passed = ['TCP', 'SSL', 'HTTP', 'HTTPS'].filter((protocol) =>
      bench.guests.answers('i-cp', 6443, { protocol, oldCiphers: true }),
    );
    expect(passed).toEqual(passes);
  });

  it('reads older kubeadm API versions, and serves the version of the image', async () => {
    const old = init({ version: 'v1.29.3' }).replaceAll('v1beta4', 'v1beta3');
    const { bench, clock, workload } = openTestCluster();
    bench.boot('i-cp', old, { imageName: 'capa-ami-ubuntu-22.04-1.29.3-1700000000' });
    await clock.advance(60_000);
    expect(await workload.read('version', { kubeconfig })).toMatchObject({ gitVersion: 'v1.29.3', minor: '29' });
  });

  it('is skipped when an earlier command fails the script, while commands after a failure still run', async () => {
    const { bench, clock } = openTestCluster();
    bench.boot('i-1', init().replace('kubeadm init', 'exit 1; kubeadm init'));
    bench.boot('i-2', init().replace('kubeadm init', 'false && kubeadm init'));
    bench.boot('i-3', init().replace('kubeadm init', 'false || kubeadm init'));
    await clock.advance(60_000);
    const runs = ['i-1', 'i-2', 'i-3'].map((id) => bench.guests.answers(id, 6443, { protocol: 'TCP' }));
    expect(runs).toEqual([false, false, true]);
  });

  it.each([
    'if [ -f /etc/done ]; then exit 1; fi',
    'test -f /etc/done && exit 0',
    'command -v docker || exit 1',
  ])('is not skipped when it is not known whether %s ends the script', async (command) => {
    const { bench, clock } = openTestCluster();
    bench.boot('i-1', init().replace('kubeadm init', `${command}; kubeadm init`));
    await clock.advance(60_000);
    expect(bench.guests.answers('i-1', 6443, { protocol: 'TCP' })).toBe(true);
  });
});
