/** User data for cloud-init: what a host does at its first boot. */
import { Document, Scalar } from 'yaml';
import type { KubeadmConfigSpec } from './schema.ts';

export interface WriteFile {
  path: string;
  content: string;
  owner?: string;
  permissions?: string;
  encoding?: string;
  append?: boolean;
}

export interface UserData {
  spec: KubeadmConfigSpec;
  /** Certificates, then the user's files with their content. */
  files: WriteFile[];
  users: NonNullable<KubeadmConfigSpec['users']>;
  /** `before`: a command that must succeed before kubeadm runs. */
  kubeadm: { action: 'init' | 'join'; document: string; before?: string };
}

export const documents = { init: '/run/kubeadm/kubeadm.yaml', join: '/run/kubeadm/kubeadm-join-config.yaml' };
/** The file that a host writes once kubeadm has succeeded. */
export const sentinelFile = '/run/cluster-api/bootstrap-success.complete';
const placeholder = {
  path: '/run/cluster-api/placeholder',
  owner: 'root:root',
  permissions: '0640',
  content: 'Makes the directory that the sentinel file of a successful bootstrap is written to.\n',
};

// Partition type codes by table: sfdisk takes two hexadecimal digits, sgdisk four.
const partitionTypes: Record<string, { mbr: string; gpt: string }> = {
  Linux: { mbr: '83', gpt: '8300' },
  LinuxSwap: { mbr: '82', gpt: '8200' },
  LinuxRAID: { mbr: 'fd', gpt: 'fd00' },
  LVM: { mbr: '8e', gpt: '8e00' },
  Fat32: { mbr: 'c', gpt: '0700' },
  NTFS: { mbr: '7', gpt: '0700' },
  LinuxExtended: { mbr: '85', gpt: '8300' },
};
const partitionType = (type: string, table: 'mbr' | 'gpt'): string | number => {
  const known = partitionTypes[type]?.[table] ?? type;
  return /^[1-9]\d*$/.test(known) ? Number(known) : known;
};

type Disks = NonNullable<KubeadmConfigSpec['diskSetup']>;
const diskSetup = ({ partitions = [] }: Disks) =>
  Object.fromEntries(
    partitions.map(({ device, layout, diskLayout, overwrite, tableType }) => [
      device,
      {
        ...(tableType && { table_type: tableType }),
        layout: diskLayout
          ? diskLayout.map(({ percentage, partitionType: type }) =>
              type ? [percentage, partitionType(type, tableType ?? 'mbr')] : percentage,
            )
          : (layout ?? false),
        ...(overwrite !== undefined && { overwrite }),
      },
    ]),
  );
const fsSetup = ({ filesystems = [] }: Disks) =>
  filesystems.map(({ device, extraOpts, filesystem, label, overwrite, partition, replaceFS }) => ({
    ...(label && { label }),
    filesystem,
    device,
    ...(partition && { partition }),
    ...(overwrite !== undefined && { overwrite }),
    ...(replaceFS && { replace_fs: replaceFS }),
    ...(extraOpts?.length && { extra_opts: extraOpts }),
  }));

const userEntry = (user: UserData['users'][number]) => ({
  name: user.name,
  ...(user.gecos && { gecos: user.gecos }),
  ...(user.groups && { groups: user.groups }),
  ...(user.homeDir && { homedir: user.homeDir }),
  // In cloud-init, `inactive` is the number of days after password expiry until the account is
  // disabled.
  ...(user.inactive && { inactive: '0' }),
  ...(user.lockPassword !== undefined && { lock_passwd: user.lockPassword }),
  ...(user.passwd && { passwd: user.passwd }),
  ...(user.primaryGroup && { primary_group: user.primaryGroup }),
  ...(user.shell && { shell: user.shell }),
  ...(user.sshAuthorizedKeys?.length && { ssh_authorized_keys: user.sshAuthorizedKeys }),
  ...(user.sudo && { sudo: user.sudo }),
});

const quoted = (command: string): Scalar => {
  const scalar = new Scalar(command);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
};

const kubeadmCommand = ({ spec: { verbosity }, kubeadm: { action, before } }: UserData): string =>
  [
    ...(before === undefined ? [] : [`${before} &&`]),
    `kubeadm ${action} --config ${documents[action]}`,
    ...(verbosity === undefined ? [] : [`--v ${verbosity}`]),
    `&& echo success > ${sentinelFile}`,
  ].join(' ');

// Files that are appended to, or read by tools such as cron, must end with a newline, however the
// manifest or Secret ends.
const inLines = (file: WriteFile): WriteFile => ({
  ...file,
  content: file.content.replace(/(?<=.)\n*$/s, '\n'),
});

const some = <T>(field: string, list: T[] | undefined) => (list?.length ? { [field]: list } : {});

type Host = Pick<KubeadmConfigSpec, 'ntp' | 'diskSetup' | 'mounts'>;

/** What does not belong to kubeadm. */
const hostParts = ({ ntp, diskSetup: disks, mounts }: Host, users: UserData['users']) => ({
  ...(ntp && {
    ntp: { ...(ntp.enabled !== undefined && { enabled: ntp.enabled }), ...some('servers', ntp.servers) },
  }),
  ...some('users', users.map(userEntry)),
  ...(disks?.partitions?.length && { disk_setup: diskSetup(disks) }),
  ...(disks?.filesystems?.length && { fs_setup: fsSetup(disks) }),
  ...some('mounts', mounts),
});

/** cloud-init parses YAML 1.1. */
const bodyOf = (document: object): string =>
  new Document(document, { version: '1.1', aliasDuplicateObjects: false })
    .toString({ lineWidth: 0 })
    .replace(/^%YAML.*\n---\n/, '');

/** A cloud-config document for a host without kubeadm; undefined if it would be empty. */
export const cloudConfigOf = ({
  spec,
  files,
  users,
}: { spec: Host } & Pick<UserData, 'files' | 'users'>): string | undefined => {
  const document = { ...some('write_files', files.map(inLines)), ...hostParts(spec, users) };
  return Object.keys(document).length > 0 ? `#cloud-config\n\n${bodyOf(document)}` : undefined;
};

/**
 * A cloud-config document. cloud-init first renders it as a Jinja template with the instance's
 * metadata.
 */
export const renderCloudConfig = (userData: UserData): string => {
  const { spec, files, users, kubeadm } = userData;
  const kubeadmFile = {
    path: documents[kubeadm.action],
    owner: 'root:root',
    permissions: '0640',
    content: kubeadm.document,
  };
  const document = {
    write_files: [...files, kubeadmFile, placeholder].map(inLines),
    ...some('bootcmd', spec.bootCommands?.map(quoted)),
    runcmd: [...(spec.preKubeadmCommands ?? []), kubeadmCommand(userData), ...(spec.postKubeadmCommands ?? [])].map(
      quoted,
    ),
    ...hostParts(spec, users),
  };
  return `## template: jinja\n#cloud-config\n\n${bodyOf(document)}`;
};
