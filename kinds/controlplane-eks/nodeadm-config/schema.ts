import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  anyObject,
  boolean,
  type Infer,
  int64,
  list,
  map,
  object,
  oneOf,
  required,
  string,
} from '../../../machinery/api/schema.ts';
import { conditions } from '../../infrastructure-aws/shapes.ts';

const fromSecret = (what: string) =>
  object(`Where the ${what} comes from instead.`, {
    secret: required(
      object('A key of a Secret of the namespace.', {
        key: required(string('The key.')),
        name: required(string('Name of the Secret.')),
      }),
    ),
  });

const file = object('A file to write.', {
  append: boolean('Whether it is appended to what is there.'),
  content: string('The content itself.'),
  contentFrom: fromSecret('content'),
  encoding: oneOf('How the content is encoded; plain when empty.', ['base64', 'gzip', 'gzip+base64']),
  owner: string('Owner as user:group.'),
  path: required(string('Absolute path of the file.')),
  permissions: string('Mode in octal, such as 0640.'),
});

const user = object('A user.', {
  gecos: string('Full name or comment.'),
  groups: string('Further groups, separated by commas.'),
  homeDir: string('Home directory.'),
  inactive: boolean('Whether the account is inactive.'),
  lockPassword: boolean('Whether a password is no way in.'),
  name: required(string('Login name.')),
  passwd: string('Hash of the password.'),
  passwdFrom: fromSecret('hash of the password'),
  primaryGroup: string('Primary group.'),
  shell: string('Login shell.'),
  sshAuthorizedKeys: list('Public keys that may log in.', string('A key.')),
  sudo: string('The rule for sudo.'),
});

export const spec = object('What a machine of EKS runs at its first boot.', {
  containerd: object('containerd.', {
    baseRuntimeSpec: anyObject('The OCI runtime specification of all containers, in part.'),
    config: string('Further configuration, as TOML.'),
  }),
  diskSetup: object('Partitions and file systems of further disks.', {
    filesystems: list(
      'File systems to make.',
      object('A file system.', {
        device: required(string('The device, such as /dev/nvme1n1.')),
        extraOpts: list('Further arguments of mkfs.', string('An argument.')),
        filesystem: required(string('Its type, such as ext4.')),
        label: required(string('Its label.')),
        overwrite: boolean('Whether it replaces one that is there.'),
        partition: string('Which partition: auto, any, none, or its number.'),
      }),
    ),
    partitions: list(
      'Partition tables to write.',
      object('A partition table.', {
        device: required(string('The device.')),
        layout: required(boolean('Whether one partition takes the whole disk.')),
        overwrite: boolean('Whether it replaces one that is there.'),
        tableType: string<'mbr' | 'gpt'>('mbr or gpt.'),
      }),
    ),
  }),
  featureGates: map('Feature gates of nodeadm.', boolean('Whether it is on.')),
  files: list('Files to write.', file),
  kubelet: object('The kubelet.', {
    config: anyObject('A KubeletConfiguration, in part.'),
    flags: list('Its flags.', string('A flag, such as --node-labels=a=b.')),
  }),
  mounts: list('Entries of fstab, each a list of its fields.', list('An entry.', string('A field.'))),
  ntp: object('Time synchronisation.', {
    enabled: boolean('Whether it runs.'),
    servers: list('Servers to synchronise with.', string('A server.')),
  }),
  preNodeadmCommands: list('Commands run before nodeadm.', string('A command.')),
  users: list('Users to make.', user),
});

export const status = object('What was observed of the config.', {
  conditions,
  dataSecretName: string('Name of the Secret that holds the user data.'),
  failureMessage: string('Why there is no user data, for good.'),
  failureReason: string('The same in one word.'),
  initialization: object('Facts about the first provisioning; they never turn back.', {
    dataSecretCreated: boolean('Whether the Secret with the user data exists.'),
  }),
  observedGeneration: int64('The generation that was last acted on.'),
  ready: boolean('Whether the Secret with the user data exists.'),
});

export type NodeadmConfigSpec = Infer<typeof spec>;
export type NodeadmConfigStatus = Infer<typeof status>;
export type NodeadmConfig = KubeObject<NodeadmConfigSpec, NodeadmConfigStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    NodeadmConfig: NodeadmConfig;
  }
}
