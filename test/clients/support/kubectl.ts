/** Finds stock kubectl binaries, or builds one, and runs them. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { onPath } from './on-path.ts';

/** The Google Cloud SDK carries several versions, named kubectl.1.31 and so on. */
const besideGcloud = (): string[] => {
  const gcloud = onPath('gcloud');
  if (!gcloud) return [];
  const directory = dirname(realpathSync(gcloud));
  return readdirSync(directory)
    .filter((name) => /^kubectl\.1\.\d+$/.test(name))
    .sort((a, b) => Number(a.split('.')[2]) - Number(b.split('.')[2]))
    .map((name) => join(directory, name));
};

const builtVersion = 'v0.33.13';
const main = `package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
`;

/** Builds kubectl from the published Go modules; takes some minutes the first time. */
const build = (): string => {
  const directory = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'kubectl');
  const binary = join(directory, 'kubectl');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'main.go'), main);
  const go = (...args: string[]) => execFileSync('go', args, { cwd: directory, stdio: 'inherit' });
  if (!existsSync(join(directory, 'go.mod'))) go('mod', 'init', 'kubectl');
  go('get', `k8s.io/kubectl@${builtVersion}`, `k8s.io/component-base@${builtVersion}`);
  go('mod', 'tidy');
  go('build', '-o', binary, '.');
  return binary;
};

/** Every kubectl to test with, oldest first; KUBECTL may name several, separated like PATH. Throws when none exists. */
export const findKubectls = (): string[] => {
  if (process.env.KUBECTL) return process.env.KUBECTL.split(delimiter);
  const several = besideGcloud();
  if (several.length > 0) return several;
  const single = onPath('kubectl');
  if (single) return [single];
  if (onPath('go')) return [build()];
  throw new Error('no kubectl: set KUBECTL, put one on PATH, or install Go so that one can be built');
};

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Kubectl {
  (...args: string[]): Outcome;
  /** Runs kubectl with this standard input. */
  withInput(input: string, ...args: string[]): Outcome;
  /** The parsed output of `get … -o json` and the like; throws on failure. */
  json<T = Record<string, unknown>>(...args: string[]): T;
  /** Runs beside the test; resolves with its output once it ends or is stopped. */
  start(...args: string[]): { stop(): Promise<string>; until(text: string): Promise<void> };
}

export const kubectlWith = (
  binary: string,
  kubeconfig: string,
  directory: string,
  more: Record<string, string> = {},
): Kubectl => {
  const environment = { ...process.env, KUBECONFIG: kubeconfig, HOME: directory, KUBECTL_EXTERNAL_DIFF: '', ...more };
  const run = (input: string | undefined, args: string[]): Outcome => {
    const { status, stdout, stderr, error } = spawnSync(binary, args, {
      env: environment,
      encoding: 'utf8',
      input: input ?? '',
      maxBuffer: 64 * 1024 * 1024,
      // Only ends a hang: waits end by their own timeouts.
      timeout: 300_000,
    });
    if (error) throw error;
    return { code: status ?? -1, stdout, stderr };
  };
  return Object.assign((...args: string[]) => run(undefined, args), {
    withInput: (input: string, ...args: string[]) => run(input, args),
    json: <T>(...args: string[]) => {
      const { code, stdout, stderr } = run(undefined, [...args, '-o', 'json']);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    start: (...args: string[]) => watched(spawn(binary, args, { env: environment })),
  });
};

const watched = (child: ChildProcess) => {
  let printed = '';
  const listeners = new Set<() => void>();
  const collect = (chunk: Buffer) => {
    printed += chunk.toString();
    for (const listen of listeners) listen();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    until: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!printed.includes(text)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        void ended.then(() => reject(new Error(`ended before printing ${text}: ${printed}`)));
        look();
      }),
    stop: async () => {
      child.kill();
      await ended;
      return printed;
    },
  };
};
