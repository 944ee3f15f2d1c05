import { expect, it } from 'vitest';
import type { HostType } from './kubeadm/preflight.ts';
import { judgeKubeadmSpec, type KubeadmSpec, messageOf } from './kubeadm-spec.ts';

const etcd = (imageTag: string | undefined, ...extraArgs: { name: string; value: string }[]): KubeadmSpec => ({
  clusterConfiguration: { etcd: { local: { ...(imageTag && { imageTag }), extraArgs } } },
});
const withPolicy = (files: { path: string; content: string }[], command: string): KubeadmSpec => ({
  clusterConfiguration: {
    apiServer: {
      extraArgs: [{ name: 'audit-policy-file', value: '/etc/audit/policy.yaml' }],
      extraVolumes: [{ hostPath: '/etc/audit', mountPath: '/etc/audit' }],
    },
  },
  files,
  preKubeadmCommands: [command],
});
const v2 = { name: 'enable-v2', value: 'true' };

it.each<{ rule: string; spec: KubeadmSpec; minor: number; worker?: true; host?: HostType; paths: string[] }>([
  { rule: 'nothing in an empty configuration', spec: {}, minor: 37, paths: [] },
  { rule: 'nothing of the etcd that kubeadm deploys', spec: etcd(undefined, v2), minor: 33, paths: [] },
  {
    rule: 'flags that the etcd of the release no longer has',
    spec: etcd(undefined, v2),
    minor: 34,
    paths: ['clusterConfiguration.etcd.local.extraArgs'],
  },
  { rule: 'flags by the tag of the image, not by the release', spec: etcd('3.5.21-0', v2), minor: 34, paths: [] },
  {
    rule: 'an etcd that is too new for the flags of kubeadm',
    spec: etcd('3.7.0-0'),
    minor: 33,
    paths: ['clusterConfiguration.etcd.local.extraArgs'],
  },
  {
    rule: 'an etcd that is too old for the flags of kubeadm',
    spec: etcd('v3.5.21'),
    minor: 36,
    paths: ['clusterConfiguration.etcd.local.extraArgs'],
  },
  {
    rule: 'an etcd before 3.5, which lacks the flags of newer ones, too',
    spec: etcd('3.4.13-0'),
    minor: 36,
    paths: ['clusterConfiguration.etcd.local.extraArgs'],
  },
  { rule: 'no etcd before 3.5 that knows the flags of kubeadm', spec: etcd('3.4.13-0'), minor: 35, paths: [] },
  {
    rule: 'sockets without a container runtime, where they are named',
    spec: {
      initConfiguration: { nodeRegistration: { criSocket: '/var/run/dockershim.sock' } },
      joinConfiguration: { nodeRegistration: { criSocket: '/var/run/dockershim.sock' } },
    },
    minor: 24,
    paths: ['initConfiguration.nodeRegistration.criSocket', 'joinConfiguration.nodeRegistration.criSocket'],
  },
  {
    rule: 'a file system that is the data directory of etcd',
    spec: {
      mounts: [['LABEL=etcd_disk', '/var/lib/etcddisk']],
      diskSetup: { filesystems: [{ device: '/dev/nvme1n1', filesystem: 'ext4', label: 'etcd_disk' }] },
      clusterConfiguration: { etcd: { local: { dataDir: '/var/lib/etcddisk' } } },
      joinConfiguration: { nodeRegistration: { ignorePreflightErrors: ['DirAvailable--var-lib-etcddisk'] } },
    },
    minor: 35,
    paths: ['initConfiguration.nodeRegistration.ignorePreflightErrors'],
  },
  {
    rule: 'owners of files that the image of the provider lacks',
    spec: {
      bootCommands: ['useradd etcd'],
      files: [
        { path: '/a', owner: 'root:root' },
        { path: '/b', owner: 'etcd:etcd' },
        { path: '/c', owner: 'app:app' },
        { path: '/d', owner: '1000:1000' },
      ],
    },
    minor: 35,
    host: { isPublished: true },
    paths: ['files[2].owner'],
  },
  { rule: 'no owners on an image of the user', spec: { files: [{ path: '/c', owner: 'app' }] }, minor: 35, paths: [] },
  {
    rule: 'no file that a script among the files writes',
    spec: withPolicy(
      [
        { path: '/etc/setup.sh', content: '. /run/lib.sh' },
        { path: '/run/lib.sh', content: 'curl https://example.com/policy.yaml > "$DIR/policy.yaml"' },
      ],
      'DIR=/etc/audit /etc/setup.sh',
    ),
    minor: 35,
    paths: [],
  },
  {
    rule: 'a file that a script writes which nothing runs',
    spec: withPolicy([{ path: '/etc/setup.sh', content: 'touch /etc/audit/policy.yaml' }], 'chmod +x /etc/setup.sh'),
    minor: 35,
    paths: ['clusterConfiguration.apiServer.extraArgs'],
  },
  {
    rule: 'no file that a command edits',
    spec: withPolicy(
      [{ path: '/etc/audit/policy.yaml', content: 'LATER' }],
      'sed -i s/LATER/$POLICY/ /etc/audit/policy.yaml',
    ),
    minor: 35,
    paths: [],
  },
  { rule: 'no etcd whose version its tag does not tell', spec: etcd('stable', v2), minor: 36, paths: [] },
  {
    rule: 'the kubelet of hosts that initialise and of hosts that join',
    spec: {
      initConfiguration: { nodeRegistration: { kubeletExtraArgs: [{ name: 'cloud-provider', value: 'aws' }] } },
      joinConfiguration: { nodeRegistration: { kubeletExtraArgs: [{ name: 'cloud-provider', value: 'aws' }] } },
    },
    minor: 30,
    paths: [
      'initConfiguration.nodeRegistration.kubeletExtraArgs',
      'joinConfiguration.nodeRegistration.kubeletExtraArgs',
    ],
  },
  {
    rule: 'templates that cloud-init refuses, in what becomes user data',
    spec: {
      clusterConfiguration: { apiServer: { extraArgs: [{ name: 'v', value: '{{ a b }}' }] } },
      joinConfiguration: {
        nodeRegistration: { kubeletExtraArgs: [{ name: 'node-labels', value: 'a={{ v1.instance-id }}' }] },
      },
      files: [
        { path: '/a', content: '{{ .Values.a }}' },
        { path: '/b', content: '{% raw %}{{ .Values.a }}{% endraw %}' },
        { path: '/c', content: '{{ .controlPlane.version }}', contentFormat: 'Template' },
        { path: '/d', content: 'e3sgLmEgfX0=', encoding: 'base64' },
      ],
      preKubeadmCommands: ['echo {{ ds.meta_data["instance-id"] }}', "echo {{ ds.meta_data['instance-id'] }}"],
    },
    minor: 35,
    worker: true,
    paths: [
      'joinConfiguration.nodeRegistration.kubeletExtraArgs[0].value',
      'preKubeadmCommands[0]',
      'files[0].content',
    ],
  },
  {
    rule: 'no templates for Ignition',
    spec: { format: 'ignition', files: [{ path: '/a', content: '{{ .Values.a }}' }] },
    minor: 35,
    paths: [],
  },
  {
    rule: 'only what a worker joins with',
    spec: {
      clusterConfiguration: { scheduler: { extraArgs: [{ name: 'port', value: '0' }] } },
      joinConfiguration: { nodeRegistration: { kubeletExtraArgs: [{ name: 'cloud-provider', value: 'aws' }] } },
    },
    minor: 30,
    worker: true,
    paths: ['joinConfiguration.nodeRegistration.kubeletExtraArgs'],
  },
  {
    rule: "kubeadm's own feature gates",
    spec: { clusterConfiguration: { featureGates: { EtcdLearnerMode: true } } },
    minor: 33,
    paths: ['clusterConfiguration.featureGates'],
  },
  {
    rule: 'no gate that kubeadm still has',
    spec: { clusterConfiguration: { featureGates: { EtcdLearnerMode: true } } },
    minor: 32,
    paths: [],
  },
])('finds $rule', ({ spec, minor, worker, host = {}, paths }) =>
  expect(judgeKubeadmSpec(spec, minor, !worker, { host }).map(({ path }) => path)).toEqual(paths));

it('tells the flag that kubeadm adds from the flags of the user', () => {
  const [fault] = judgeKubeadmSpec(etcd('3.7.0-0'), 33, true);
  expect(messageOf(fault!, 33)).toBe(
    'etcd of v1.33 would exit: kubeadm of v1.33 starts etcd with --experimental-initial-corrupt-check, which 3.7.0-0 does not know',
  );
});
