/** Rules for the spec of a KubeadmConfig, wherever it is embedded (bootstrap/kubeadm/webhooks of Cluster API 1.14). */
import { placed, type UpstreamRule } from './rule.ts';

const secret = { secret: { name: 's', key: 'k' } };
const layout = (...percentages: number[]) => ({
  device: '/dev/sdf',
  diskLayout: percentages.map((percentage) => ({ percentage })),
});
const kubeletArgs = [
  { name: 'v', value: '2' },
  { name: 'v', value: '4' },
];
const ignition = (more: object) => ({ format: 'ignition', ...more });
const user = {
  authProvider: { name: 'oidc' },
  exec: { command: 'login' },
};

/** Invalid KubeadmConfigSpecs, with the field and message of each. */
const ofSpec: { refuses: string; spec: object; says: string }[] = [
  {
    refuses: 'a file with content of two sources',
    spec: { files: [{ path: '/a', content: 'a', contentFrom: secret }] },
    says: 'files[0]: Invalid value',
  },
  {
    refuses: 'a file of a Secret without a name',
    spec: { files: [{ path: '/a', contentFrom: { secret: { name: '', key: 'k' } } }] },
    says: 'files[0].contentFrom.secret.name:',
  },
  {
    refuses: 'a file of a Secret without a key',
    spec: { files: [{ path: '/a', contentFrom: { secret: { name: 's', key: '' } } }] },
    says: 'files[0].contentFrom.secret.key:',
  },
  {
    refuses: 'two files at one path',
    spec: {
      files: [
        { path: '/a', content: 'a' },
        { path: '/a', content: 'b' },
      ],
    },
    says: 'files[1].path: Invalid value: "/a": path property must be unique among all files',
  },
  {
    refuses: 'a user with passwords of two sources',
    spec: { users: [{ name: 'u', passwd: 'p', passwdFrom: secret }] },
    says: 'users[0]: Invalid value',
  },
  {
    refuses: 'a password of a Secret without a name',
    spec: { users: [{ name: 'u', passwdFrom: { secret: { name: '', key: 'k' } } }] },
    says: 'users[0].passwdFrom.secret.name:',
  },
  {
    refuses: 'a password of a Secret without a key',
    spec: { users: [{ name: 'u', passwdFrom: { secret: { name: 's', key: '' } } }] },
    says: 'users[0].passwdFrom.secret.key:',
  },
  {
    refuses: 'settings of Ignition in another format',
    spec: { ignition: { containerLinuxConfig: { additionalConfig: 'a' } } },
    says: 'format: Invalid value: "cloud-config": must be set to "ignition"',
  },
  {
    refuses: 'inactive users in Ignition',
    spec: ignition({ users: [{ name: 'u', inactive: true }] }),
    says: 'users[0].inactive: Forbidden: not supported',
  },
  {
    refuses: 'zipped files in Ignition',
    spec: ignition({ files: [{ path: '/a', content: 'YQ==', encoding: 'gzip+base64' }] }),
    says: 'files[0].encoding: Forbidden: not supported',
  },
  {
    refuses: 'boot commands in Ignition',
    spec: ignition({ bootCommands: ['true'] }),
    says: 'bootCommands: Forbidden: not supported',
  },
  {
    refuses: 'partition tables other than GPT in Ignition',
    spec: ignition({ diskSetup: { partitions: [{ device: '/dev/sdf', layout: true, tableType: 'mbr' }] } }),
    says: 'diskSetup.partitions[0].tableType: Invalid value: "mbr": only partition type "gpt"',
  },
  {
    refuses: 'to replace file systems in Ignition',
    spec: ignition({
      diskSetup: { filesystems: [{ device: '/dev/sdf', filesystem: 'ext4', label: 'l', replaceFS: 'ntfs' }] },
    }),
    says: 'diskSetup.filesystems[0].replaceFS: Forbidden: not supported',
  },
  {
    refuses: 'partitions of file systems in Ignition',
    spec: ignition({
      diskSetup: { filesystems: [{ device: '/dev/sdf', filesystem: 'ext4', label: 'l', partition: 'auto' }] },
    }),
    says: 'diskSetup.filesystems[0].partition: Forbidden: not supported',
  },
  {
    refuses: 'more than a whole disk',
    spec: { diskSetup: { partitions: [layout(60, 41)] } },
    says: 'diskSetup.partitions[0].diskLayout: Invalid value: 101: the sum of all partition percentages',
  },
  {
    refuses: 'two ways for a joining node to authenticate',
    spec: {
      joinConfiguration: {
        discovery: { file: { kubeConfigPath: '/k', kubeConfig: { cluster: { server: 's' }, user } } },
      },
    },
    says: 'only one of authProvider or exec must be defined',
  },
  // Rules of the schema.
  ...['apiServer', 'controllerManager', 'scheduler'].map((component) => ({
    refuses: `a flag of ${component} twice`,
    spec: { clusterConfiguration: { [component]: { extraArgs: kubeletArgs } } },
    says: `clusterConfiguration.${component}.extraArgs: Invalid value: extraArgs name must be unique`,
  })),
  {
    refuses: 'a flag of etcd twice',
    spec: { clusterConfiguration: { etcd: { local: { extraArgs: kubeletArgs } } } },
    says: 'clusterConfiguration.etcd.local.extraArgs: Invalid value: extraArgs name must be unique',
  },
  ...['initConfiguration', 'joinConfiguration'].map((which) => ({
    refuses: `a flag of the kubelet twice in ${which}`,
    spec: { [which]: { nodeRegistration: { kubeletExtraArgs: kubeletArgs } } },
    says: `${which}.nodeRegistration.kubeletExtraArgs: Invalid value: kubeletExtraArgs name must be unique`,
  })),
  {
    refuses: 'a whole disk and partitions of it',
    spec: { diskSetup: { partitions: [{ ...layout(50), layout: true }] } },
    says: 'exactly one of the fields in [layout diskLayout] must be set',
  },
  {
    refuses: 'a type of partition that there is not',
    spec: {
      diskSetup: { partitions: [{ device: '/dev/sdf', diskLayout: [{ percentage: 50, partitionType: 'Minix' }] }] },
    },
    says: 'partitionType must be one of Linux, LinuxSwap',
  },
];

const places: { kind: string; at: string; patch: (spec: object) => object }[] = [
  { kind: 'KubeadmConfig', at: 'spec', patch: (spec) => ({ spec }) },
  { kind: 'KubeadmConfigTemplate', at: 'spec.template.spec', patch: (spec) => ({ spec: { template: { spec } } }) },
  {
    kind: 'KubeadmControlPlane',
    at: 'spec.kubeadmConfigSpec',
    patch: (spec) => ({ spec: { kubeadmConfigSpec: spec } }),
  },
];
const configs: UpstreamRule[] = places.flatMap(({ kind, at, patch }) =>
  ofSpec.map(({ refuses, spec, says }) => ({
    kind,
    refuses,
    with: patch(spec),
    says: placed(at, says),
  })),
);

export const configRules: UpstreamRule[] = [
  ...configs,
  {
    kind: 'KubeadmConfigTemplate',
    refuses: 'labels that are none',
    with: { spec: { template: { metadata: { labels: { 'a b': '' } } } } },
    says: 'spec.template.metadata.labels: Invalid value: "a b"',
  },
];
