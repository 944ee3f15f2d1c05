/** Compares cloud-config with the spec of a KubeadmConfig. */
import { parse } from 'yaml';
import type { KubeadmConfigSpec } from '../../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import { equal } from '../../../../machinery/api/merge.ts';

type Entry = Record<string, unknown>;
interface CloudConfig {
  users?: Entry[];
  write_files?: Entry[];
  disk_setup?: Record<string, Entry>;
  fs_setup?: Entry[];
  ntp?: unknown;
  mounts?: unknown;
  bootcmd?: unknown;
}

export interface Sources {
  /** The plain text of a key of a Secret in the namespace; undefined when it is missing. */
  secretOf: (name: string, key: string) => string | undefined;
  /** Control plane versions that a file template may render. */
  versions: readonly string[];
}

const userFields: Record<string, string> = {
  gecos: 'gecos',
  groups: 'groups',
  homeDir: 'homedir',
  lockPassword: 'lock_passwd',
  passwd: 'passwd',
  primaryGroup: 'primary_group',
  shell: 'shell',
  sshAuthorizedKeys: 'ssh_authorized_keys',
  sudo: 'sudo',
};
const fileSystemFields: Record<string, string> = {
  device: 'device',
  filesystem: 'filesystem',
  label: 'label',
  partition: 'partition',
  overwrite: 'overwrite',
  replaceFS: 'replace_fs',
  extraOpts: 'extra_opts',
};

/** Partition types as partition tables store them, in one byte or two. */
const uses: Record<string, Record<string, unknown>> = {
  mbr: { Linux: 83, LinuxSwap: 82, LVM: '8e' },
  gpt: { Linux: 8300, LinuxSwap: 8200, LVM: '8e00' },
};
type Share = { percentage: number; partitionType?: string };
const cut = (shares: readonly Share[], table: string) =>
  shares.map(({ percentage, partitionType: use }) => (use ? [percentage, uses[table]?.[use]] : percentage));

const renamed = (from: object, names: Record<string, string>): Entry =>
  Object.fromEntries(Object.entries(from).flatMap(([name, value]) => (names[name] ? [[names[name], value]] : [])));
const has = (entry: Entry | undefined, fields: Entry): boolean =>
  entry !== undefined && Object.entries(fields).every(([name, value]) => equal(entry[name], value));

/** The first part of the spec that the user data lacks; undefined when it lacks none. */
export const missingIn = (
  text: string,
  spec: KubeadmConfigSpec,
  { secretOf, versions }: Sources,
): string | undefined => {
  const document = parse(text, { version: '1.1' }) as CloudConfig;
  for (const { passwdFrom, inactive, ...user } of spec.users ?? []) {
    const passwd = passwdFrom ? secretOf(passwdFrom.secret.name, passwdFrom.secret.key) : user.passwd;
    const fields = renamed({ ...user, ...(passwd !== undefined && { passwd }) }, userFields);
    const entry = document.users?.find(({ name }) => name === user.name);
    if (!has(entry, fields) || (entry!.inactive !== undefined) !== (inactive === true)) return `user ${user.name}`;
  }
  for (const { path, content = '', contentFrom, contentFormat, ...file } of spec.files ?? []) {
    const whole = contentFrom ? secretOf(contentFrom.secret.name, contentFrom.secret.key) : content;
    const texts =
      contentFormat === 'Template'
        ? versions.map((one) => whole?.replace('{{ .controlPlane.version }}', one))
        : [whole];
    const written = document.write_files?.find((one) => one.path === path);
    const isWritten = texts.some((text) => written?.content === (text ? `${text.trimEnd()}\n` : text));
    if (!has(written, file as Entry) || !isWritten) return `file ${path}`;
  }
  for (const { device, layout, diskLayout, tableType, overwrite } of spec.diskSetup?.partitions ?? []) {
    const fields = {
      layout: diskLayout ? cut(diskLayout, tableType ?? 'mbr') : layout,
      ...(tableType && { table_type: tableType }),
      ...(overwrite !== undefined && { overwrite }),
    };
    if (!has(document.disk_setup?.[device], fields)) return `partitions of ${device}`;
  }
  for (const filesystem of spec.diskSetup?.filesystems ?? [])
    if (!document.fs_setup?.some((one) => has(one, renamed(filesystem, fileSystemFields))))
      return `file system of ${filesystem.device}`;
  if (spec.ntp && !equal(document.ntp, spec.ntp)) return 'ntp';
  if (spec.mounts?.length && !equal(document.mounts, spec.mounts)) return 'mounts';
  if (spec.bootCommands?.length && !equal(document.bootcmd, spec.bootCommands)) return 'boot commands';
  return spec.verbosity !== undefined && !text.includes(` --v ${spec.verbosity} `) ? 'verbosity' : undefined;
};
