/** Workers that boot with users, files, disks, mounts, NTP and launch options. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Dice } from '../../dice.ts';
import { applyAll, controlPlane, deployment, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';
import { staying } from '../requests.ts';

type Template = KubeObject<{ template: { spec: Record<string, unknown> } }>;
type Fields = Record<string, unknown>;

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl user';

/** The content of the Secret, which must not appear in a template. */
const hidden = { content: 'told in secret', hash: '$6$rounds=4096$salt$hash' };

const users = (secret: string) => [
  { name: 'operator', gecos: 'Operator', groups: 'wheel', shell: '/bin/bash', sudo: 'ALL=(ALL) ALL' },
  { name: 'reader', lockPassword: false, passwdFrom: { secret: { name: secret, key: 'hash' } } },
  { name: 'guest', homeDir: '/srv/guest', primaryGroup: 'guests', inactive: true, sshAuthorizedKeys: [key] },
];

const files = (secret: string) => [
  { path: '/etc/secret', permissions: '0600', contentFrom: { secret: { name: secret, key: 'content' } } },
  { path: '/etc/version', contentFormat: 'Template', content: 'of {{ .controlPlane.version }}' },
  { path: '/etc/packed', encoding: 'base64', content: Buffer.from('packed').toString('base64') },
  { path: '/etc/more', append: true, owner: 'root:root', content: 'and more' },
];

/** Partitions in percent, with the default partition table or another one. */
const shares = [
  { percentage: 30, partitionType: 'LinuxSwap' },
  { percentage: 50, partitionType: 'LVM' },
  { percentage: 20 },
];
const disksOf = (draw: Dice) => ({
  partitions: [
    { device: '/dev/nvme1n1', layout: true, overwrite: false, tableType: 'gpt' },
    ...(draw.chance(0.5)
      ? [{ device: '/dev/nvme2n1', diskLayout: shares, ...draw.pick([{}, { tableType: 'gpt' }, { tableType: 'mbr' }]) }]
      : []),
  ],
  filesystems: [
    { device: '/dev/nvme1n1', filesystem: 'ext4', label: 'data', partition: 'auto', extraOpts: ['-E', 'nodiscard'] },
  ],
});

/** Some of a machine's bootstrap options. */
const bootOf = (draw: Dice, secret: string): Fields => {
  const all: Fields = {
    users: users(secret),
    files: files(secret),
    ntp: draw.pick([{ enabled: true, servers: ['169.254.169.123'] }, { enabled: false }]),
    diskSetup: disksOf(draw),
    mounts: [['LABEL=data', '/var/lib/data', 'auto', 'defaults,nofail']],
    bootCommands: ['echo early'],
    verbosity: 5,
  };
  return Object.fromEntries(Object.entries(all).filter(() => draw.chance(0.6)));
};

/** Some of a host's options. */
const hostOf = (draw: Dice): Fields => {
  const all: Fields = {
    cloudInit: draw.pick([{ secureSecretsBackend: 'ssm-parameter-store' }, { insecureSkipSecretsManager: true }]),
    instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 3, instanceMetadataTags: 'disabled' },
    privateDnsName: {
      hostnameType: 'resource-name',
      enableResourceNameDnsARecord: true,
      enableResourceNameDnsAAAARecord: draw.chance(0.5),
    },
    nonRootVolumes: [
      { deviceName: '/dev/sdg', size: 12, type: 'gp3', iops: 4000, throughput: 250 },
      { deviceName: '/dev/sdh', size: 8, type: 'gp2', encrypted: false },
    ],
    tenancy: 'dedicated',
    rootVolume: { size: 24, type: 'gp3', iops: 3500, throughput: 200, encrypted: false },
    sshKeyName: draw.pick(['', 'default']),
    uncompressedUserData: true,
  };
  return Object.fromEntries(Object.entries(all).filter(() => draw.chance(0.5)));
};

/** A template with other options; undefined when the original is missing. */
export const variant = (
  { world }: ScenarioContext,
  kind: string,
  of: string,
  name: string,
  more: Fields,
): KubeObject | undefined => {
  const template = world.mirror.get<Template>(kind, 'default', of);
  if (!template) return undefined;
  const { apiVersion, spec } = template;
  const changed = { template: { ...spec!.template, spec: { ...spec!.template.spec, ...more } } };
  return { apiVersion: apiVersion!, kind, metadata: { name, namespace: 'default' }, spec: changed };
};

/** The control plane is one version ahead of the new workers, as during an upgrade. */
const goAhead = async (context: ScenarioContext) => {
  const { client, settled, desired } = context;
  if (desired.version !== 'v1.35.0') return;
  desired.version = 'v1.35.1';
  await client.patch('KubeadmControlPlane', controlPlane(context), { spec: { version: desired.version } });
  await settled(90);
};

/** Keeps the options for a while, or for good. */
export const addBootstrapOptions = async (context: ScenarioContext) => {
  const { client, draw, settled, desired, world } = context;
  await settled(60);
  if (draw.chance(0.3)) await goAhead(context);
  const name = `${deployment(context)}-${draw.whole(1, 1_000_000)}`;
  const boot = variant(context, 'KubeadmConfigTemplate', deployment(context), name, bootOf(draw, name));
  const host = variant(context, 'AWSMachineTemplate', `${desired.name}-${desired.instanceType}`, name, hostOf(draw));
  if (!boot || !host) return;
  await client.apply({ apiVersion: 'v1', kind: 'Secret', metadata: boot.metadata, stringData: hidden } as KubeObject);
  await client.apply(boot);
  await client.apply(host);
  const template = { spec: { bootstrap: { configRef: { name } }, infrastructureRef: { name } } };
  await client.patch('MachineDeployment', deployment(context), { spec: { template } });
  const isEquipped = () => {
    const machines = staying(context);
    const isNew = (from: string | undefined) => from === name;
    const from = (kind: string, of = '') =>
      world.mirror.get(kind, 'default', of)?.metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'];
    return (
      machines.length > 0 &&
      machines.every(({ spec, status }) => status?.nodeRef && isNew(from('AWSMachine', spec?.infrastructureRef?.name)))
    );
  };
  if (desired.workers === 0 || !(await comes(context, `workers that boot with more, of ${name}`, isEquipped)))
    return applyAll(context);
  if (draw.chance(0.5)) await applyAll(context);
};
