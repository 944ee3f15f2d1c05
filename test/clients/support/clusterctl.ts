/** Finds a stock clusterctl, or builds one, and runs it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { go } from '../../go.ts';
import type { Outcome } from './kubectl.ts';
import { onPath } from './on-path.ts';

/** The newest version whose modules are all published: those of v1.14 refer to one that is only in its repository. */
const builtVersion = 'v1.13.6';
const main = `package main

import "sigs.k8s.io/cluster-api/cmd/clusterctl/cmd"

func main() { cmd.Execute() }
`;

/** Builds clusterctl from the published Go modules; takes some minutes the first time. */
const build = (): string => {
  const directory = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'clusterctl');
  const binary = join(directory, 'clusterctl');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'main.go'), main);
  if (!existsSync(join(directory, 'go.mod'))) go(directory, 'mod', 'init', 'clusterctl');
  go(directory, 'get', `sigs.k8s.io/cluster-api@${builtVersion}`);
  go(directory, 'mod', 'tidy');
  go(directory, 'build', '-o', binary, '.');
  return binary;
};

/** CLUSTERCTL may name a binary. Throws when none exists. */
export const findClusterctl = (): string => {
  const found = process.env.CLUSTERCTL ?? onPath('clusterctl');
  if (found) return found;
  if (onPath('go')) return build();
  throw new Error('no clusterctl: set CLUSTERCTL, put one on PATH, or install Go so that one can be built');
};

/** `home`: the folder of its configuration. */
export const clusterctlWith =
  (binary: string, kubeconfig: string, home: string) =>
  (...args: string[]): Outcome => {
    const { status, stdout, stderr, error } = spawnSync(binary, args, {
      env: { ...process.env, KUBECONFIG: kubeconfig, HOME: home, CLUSTERCTL_DISABLE_VERSIONCHECK: 'true' },
      encoding: 'utf8',
      timeout: 300_000,
    });
    if (error) throw error;
    return { code: status ?? -1, stdout, stderr };
  };
