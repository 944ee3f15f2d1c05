/** KubeadmConfigSpecs that together set every field that reaches a machine. */
import type { KubeadmConfigSpec } from '../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';

const args = [{ name: 'v', value: '4' }];
const extraEnvs = [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' }];
const extraVolumes = [
  { name: 'audit', hostPath: '/etc/audit', mountPath: '/audit', readOnly: true, pathType: 'DirectoryOrCreate' },
];
const timeouts = {
  controlPlaneComponentHealthCheckSeconds: 300,
  discoverySeconds: 60,
  etcdAPICallSeconds: 30,
  kubeletHealthCheckSeconds: 240,
  kubernetesAPICallSeconds: 45,
  tlsBootstrapSeconds: 360,
};
const nodeRegistration: NonNullable<KubeadmConfigSpec['initConfiguration']>['nodeRegistration'] = {
  name: 'node-1.example.com',
  criSocket: 'unix:///run/containerd/containerd.sock',
  kubeletExtraArgs: [
    { name: 'cloud-provider', value: 'external' },
    { name: 'node-labels', value: 'tier=one,on=yes' },
  ],
  ignorePreflightErrors: ['NumCPU', 'Mem'],
  imagePullPolicy: 'IfNotPresent',
  imagePullSerial: true,
  taints: [{ key: 'dedicated', value: 'yes', effect: 'NoSchedule' }],
};
const clusterConfiguration: KubeadmConfigSpec['clusterConfiguration'] = {
  apiServer: { certSANs: ['api.example.com', '10.0.0.1'], extraArgs: args, extraEnvs, extraVolumes },
  controllerManager: { extraArgs: args, extraEnvs, extraVolumes },
  scheduler: { extraArgs: args, extraEnvs, extraVolumes },
  caCertificateValidityPeriodDays: 3650,
  certificateValidityPeriodDays: 180,
  encryptionAlgorithm: 'ECDSA-P256',
  certificatesDir: '/etc/kubernetes/certificates',
  dns: { imageRepository: 'registry.example.com/coredns', imageTag: 'v1.12.1' },
  etcd: {
    local: {
      dataDir: '/var/lib/etcd-data',
      extraArgs: args,
      extraEnvs,
      imageRepository: 'registry.example.com/etcd',
      imageTag: '3.6.5-0',
      peerCertSANs: ['etcd.example.com'],
      serverCertSANs: ['etcd.example.com'],
    },
  },
  featureGates: { NodeLocalCRISocket: true },
  imageRepository: 'registry.example.com/kubernetes',
};

const machine: KubeadmConfigSpec = {
  bootCommands: ['echo "early: yes"'],
  preKubeadmCommands: ["sed -i 's/^#//' /etc/hosts", 'echo "{\\"a\\": 1}" > /tmp/x', 'yes'],
  postKubeadmCommands: ['true # done'],
  verbosity: 5,
  files: [
    { path: '/etc/plain', content: 'on\nyes: no\n\ttabs\n', owner: 'root:root', permissions: '0644' },
    { path: '/etc/encoded', content: 'aGVsbG8=', encoding: 'base64', append: true },
  ],
  users: [
    {
      name: 'ops',
      gecos: 'Operations',
      groups: 'wheel, docker',
      homeDir: '/home/ops',
      inactive: true,
      lockPassword: false,
      passwd: '$6$salt$hash',
      primaryGroup: 'ops',
      shell: '/bin/bash',
      sshAuthorizedKeys: ['ssh-ed25519 AAAA ops@example.com'],
      sudo: 'ALL=(ALL) NOPASSWD:ALL',
    },
  ],
  ntp: { enabled: true, servers: ['time.example.com'] },
  mounts: [['/dev/nvme1n1p1', '/var/lib/etcd', 'ext4', 'defaults', '0', '0']],
  diskSetup: {
    partitions: [
      {
        device: '/dev/nvme1n1',
        diskLayout: [{ percentage: 60 }, { percentage: 40, partitionType: 'LinuxSwap' }],
        overwrite: false,
        tableType: 'gpt',
      },
      { device: '/dev/nvme2n1', layout: true },
    ],
    filesystems: [
      {
        device: '/dev/nvme1n1',
        filesystem: 'ext4',
        label: 'etcd',
        partition: 'auto',
        overwrite: false,
        replaceFS: 'ext3',
        extraOpts: ['-F', '-E', 'lazy_itable_init=1'],
      },
    ],
  },
};

export const specs: Record<string, KubeadmConfigSpec> = {
  empty: {},
  'the default template of the AWS provider': {
    clusterConfiguration: { controllerManager: { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } },
    initConfiguration: {
      nodeRegistration: {
        kubeletExtraArgs: [{ name: 'cloud-provider', value: 'external' }],
        name: '{{ ds.meta_data.local_hostname }}',
      },
    },
    joinConfiguration: {
      nodeRegistration: {
        kubeletExtraArgs: [{ name: 'cloud-provider', value: 'external' }],
        name: '{{ ds.meta_data.local_hostname }}',
      },
    },
  },
  'every field': {
    ...machine,
    clusterConfiguration,
    initConfiguration: {
      bootstrapTokens: [
        {
          token: 'abcdef.0123456789abcdef',
          description: 'first: "token"',
          ttlSeconds: 86400,
          groups: ['system:bootstrappers:kubeadm:default-node-token'],
          usages: ['signing', 'authentication'],
        },
        { token: 'bcdefa.0123456789abcdef', expires: '2036-01-01T00:00:00Z' },
      ],
      localAPIEndpoint: { advertiseAddress: '10.0.0.1', bindPort: 6443 },
      nodeRegistration,
      patches: { directory: '/etc/kubernetes/patches' },
      skipPhases: ['addon/kube-proxy'],
      timeouts,
    },
    joinConfiguration: {
      caCertPath: '/etc/kubernetes/certificates/ca.crt',
      controlPlane: { localAPIEndpoint: { advertiseAddress: '10.0.0.2', bindPort: 6443 } },
      discovery: { tlsBootstrapToken: 'abcdef.0123456789abcdef' },
      nodeRegistration,
      patches: { directory: '/etc/kubernetes/patches' },
      skipPhases: ['preflight'],
      timeouts,
    },
  },
  'no taints and external discovery': {
    initConfiguration: { nodeRegistration: { taints: [] } },
    joinConfiguration: {
      nodeRegistration: { taints: [] },
      discovery: {
        file: {
          kubeConfigPath: '/run/kubeadm/discovery.yaml',
          kubeConfig: {
            user: { exec: { command: 'aws', args: ['eks', 'get-token'], env: [{ name: 'A', value: 'b' }] } },
          },
        },
      },
    },
  },
};
