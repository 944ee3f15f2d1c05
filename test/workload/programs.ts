/** A real API server, a kubelet that only forwards ports, and a real etcd. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { go, goMeanwhile, kubernetesFlags, kubernetesModule } from '../go.ts';

const cache = join(import.meta.dirname, '../../.build');

/** Built under another name: an interrupted build must not look like a finished one. */
const build = async (directory: string, program: string, ...args: string[]): Promise<string> => {
  const binary = join(directory, program);
  if (!existsSync(binary)) {
    await goMeanwhile(directory, 'build', '-o', `${binary}.new`, ...args);
    renameSync(`${binary}.new`, binary);
  }
  return binary;
};

const kubeletSource = join(import.meta.dirname, 'kubelet/main.go');

/** A module in which programs of this version can be built. */
const moduleOf = async (version: string): Promise<string> => {
  const directory = join(cache, 'kubernetes', version);
  const sources = join(directory, 'kubelet-source');
  mkdirSync(sources, { recursive: true });
  writeFileSync(join(sources, 'main.go'), readFileSync(kubeletSource));
  if (existsSync(join(directory, 'go.sum'))) return directory;
  writeFileSync(join(directory, 'go.mod'), 'module capstan.dev/workload\n');
  const module = kubernetesModule(directory, 'capstan.dev/workload', version);
  writeFileSync(join(directory, 'go.mod'), module);
  writeFileSync(join(directory, 'tools.go'), 'package tools\n\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver/app"\n');
  await goMeanwhile(directory, 'mod', 'tidy');
  return directory;
};

/** Path of a kube-apiserver of a version such as v1.33.13. */
export const apiServerOf = async (version: string): Promise<string> => {
  const flags = ['-ldflags', kubernetesFlags(version)];
  return build(await moduleOf(version), 'kube-apiserver', ...flags, 'k8s.io/kubernetes/cmd/kube-apiserver');
};

/** Path of a kubelet that only forwards ports, with the streaming server of a version. */
export const kubeletOf = async (version: string): Promise<string> => {
  const directory = await moduleOf(version);
  // Built each time, which takes a second without changes, because its source is ours.
  go(directory, 'build', '-o', 'kubelet', './kubelet-source');
  return join(directory, 'kubelet');
};

/** Builds a program of etcd, each module of which has the release's version. */
const etcdProgram = async (version: string, program: string, module: string, main: string): Promise<string> => {
  const directory = join(cache, program, version);
  mkdirSync(directory, { recursive: true });
  if (!existsSync(join(directory, 'go.sum'))) {
    writeFileSync(
      join(directory, 'go.mod'),
      `module capstan.dev/${program}\ngo 1.24.0\nrequire ${module} ${version}\n`,
    );
    writeFileSync(join(directory, 'tools.go'), `package tools\n\nimport _ "${main}"\n`);
    await goMeanwhile(directory, 'mod', 'tidy');
  }
  return build(directory, program, '-ldflags', '-s -w', module);
};

/** Path of an etcd of a version such as v3.5.21. */
export const etcdOf = (version: string): Promise<string> =>
  etcdProgram(version, 'etcd', 'go.etcd.io/etcd/server/v3', 'go.etcd.io/etcd/server/v3/etcdmain');

/** Path of the etcdutl of a version. */
export const etcdutlOf = (version: string): Promise<string> =>
  etcdProgram(version, 'etcdutl', 'go.etcd.io/etcd/etcdutl/v3', 'go.etcd.io/etcd/etcdutl/v3/etcdutl');
