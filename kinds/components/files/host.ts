/** What a program of the control plane finds in its container of the files of its host. Pure. */
import type { Component } from '../fault.ts';

export const defaultCertificatesDir = '/etc/kubernetes/pki';

export interface Mount {
  hostPath: string;
  mountPath: string;
  pathType?: string | undefined;
}

export interface HostFile {
  path: string;
  /** Undefined: known only when the machine boots. */
  content?: string | undefined;
  /** Where the configuration has it. */
  field?: string;
  /** As commands left it. */
  isFinal?: true;
}

export interface Host {
  files: readonly HostFile[];
  /** Commands that run before kubeadm does. */
  commands: readonly string[];
  certificatesDir: string;
}

export type Found =
  | { is: 'known'; file: HostFile & { content: string } }
  | { is: 'unknown' }
  | { is: 'missing'; hostPath: string }
  | { is: 'unmounted' };

export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);

const authorities = [
  '/etc/ssl/certs',
  '/etc/pki',
  '/etc/ca-certificates',
  '/usr/share/ca-certificates',
  '/usr/local/share/ca-certificates',
];

/** The paths that kubeadm mounts, each where the host has it. */
const ownMounts = (component: Component, certificatesDir: string): string[] => {
  switch (component) {
    case 'kube-apiserver':
      return [certificatesDir, ...authorities];
    case 'kube-controller-manager':
      return [certificatesDir, ...authorities, '/etc/kubernetes/controller-manager.conf'];
    case 'kube-scheduler':
      return ['/etc/kubernetes/scheduler.conf'];
    case 'etcd':
      return [`${certificatesDir}/etcd`];
    default:
      return ['/'];
  }
};

/** Of nested mounts, the innermost is seen. */
const hostPathOf = (component: Component, path: string, mounts: readonly Mount[], { certificatesDir }: Host) => {
  const own = ownMounts(component, certificatesDir).map((one) => ({ hostPath: one, mountPath: one }));
  const [mount] = [...mounts, ...own]
    .filter(({ mountPath }) => isWithin(path, mountPath))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  return mount && `${mount.hostPath.replace(/\/$/, '')}${path.slice(mount.mountPath.replace(/\/$/, '').length)}`;
};

/** Written by kubeadm, or by the controllers before it. */
const ownFiles =
  /^(?:(?:etcd\/|front-proxy-)?ca|sa|apiserver|apiserver-(?:kubelet|etcd)-client|front-proxy-client|etcd\/(?:server|peer|healthcheck-client))\.(?:crt|key|pub)$/;
const ownConfigs = /^\/etc\/kubernetes\/(?:admin|super-admin|kubelet|controller-manager|scheduler)\.conf$/;
/** Folders of the machine image. */
const imageFolders = ['/usr', '/opt', '/lib', '/etc/ssl', '/etc/pki', '/etc/ca-certificates'];

/** Commands that make no file. */
const harmless = /^\s*(?:sudo\s+)?(?:mkdir|chmod|chown|chgrp|rm|ls|test|\[)\s/;

/** As a program, or by a shell. */
const isRun = (path: string, command: string): boolean =>
  command.split(path).some((before, i, parts) => {
    const isNamed = i < parts.length - 1;
    return (
      isNamed && /(?:^|[;&|\n(]|\b(?:sudo|sh|bash|source|then|do|\w+=\S+)|\.)(?:[ \t]+-\w+)*[ \t]*["']?$/.test(before)
    );
  });

/** With the texts of scripts that are among the files, and of those that these run. */
export const withScripts = (commands: readonly string[], files: readonly HostFile[]): string[] => {
  const run = files.filter(
    ({ path, content }) =>
      content !== undefined && !commands.includes(content) && commands.some((command) => isRun(path, command)),
  );
  return run.length === 0 ? [...commands] : withScripts([...commands, ...run.map(({ content }) => content!)], files);
};

const mayBeWritten = (path: string, commands: readonly string[]): boolean => {
  const directory = path.slice(0, path.lastIndexOf('/'));
  const name = path.slice(path.lastIndexOf('/') + 1);
  return commands
    .flatMap((command) => command.split(/&&|\|\||[;\n]/))
    .some((one) => !harmless.test(one) && (one.includes(name) || (directory !== '' && one.includes(directory))));
};

/** A command that names the whole path may write it anew, or edit it. */
const mayBeChanged = ({ path, isFinal }: HostFile, commands: readonly string[]): boolean =>
  !isFinal &&
  commands
    .flatMap((command) => command.split(/&&|\|\||[;\n]/))
    .some((one) => !harmless.test(one) && one.includes(path));

const onHost = (hostPath: string, { files, commands, certificatesDir }: Host): Found => {
  const file = files.findLast(({ path }) => path === hostPath);
  if (file?.content !== undefined && !mayBeChanged(file, commands))
    return { is: 'known', file: { ...file, content: file.content } };
  const isOwn = isWithin(hostPath, certificatesDir) && ownFiles.test(hostPath.slice(certificatesDir.length + 1));
  const isElsewhere = imageFolders.some((folder) => isWithin(hostPath, folder)) || ownConfigs.test(hostPath);
  return file || isOwn || isElsewhere || mayBeWritten(hostPath, commands)
    ? { is: 'unknown' }
    : { is: 'missing', hostPath };
};

export const fileIn = (component: Component, path: string, mounts: readonly Mount[], host: Host): Found => {
  const hostPath = hostPathOf(component, path, mounts, host);
  return hostPath === undefined ? { is: 'unmounted' } : onHost(hostPath, host);
};

/** Mounts of files that do not exist: the container is not created. */
export const missingMounts = (mounts: readonly Mount[], host: Host): Mount[] =>
  mounts.filter(({ hostPath, pathType }) => pathType === 'File' && onHost(hostPath, host).is === 'missing');
