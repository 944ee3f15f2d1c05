/** An installation that was deployed as by a user, and stock kubectl that is logged in to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { findKubectls } from '../../clients/support/kubectl.ts';
import { type Outcome, type Running, run, start } from './command.ts';
import { openPlace, type Place, type PlaceOptions } from './place.ts';

const root = join(import.meta.dirname, '../../..');

export interface Installation {
  place: Place;
  directory: string;
  kubeconfig: string;
  /** Runs a command of this repository, such as `deploy`, with these arguments after `--`. */
  command(script: 'deploy' | 'plan' | 'destroy', ...args: string[]): Promise<Outcome>;
  capstan(...args: string[]): Promise<Outcome>;
  /** Runs the pinned CDK in the repository; these variables override the environment. */
  cdk(args: readonly string[], more?: NodeJS.ProcessEnv): Promise<Outcome>;
  /** Writes a kubeconfig as the deployment says. */
  login(): Promise<void>;
  kubectl(...args: string[]): Promise<Outcome>;
  /** These variables override the environment. */
  kubectlWith(more: Record<string, string>, ...args: string[]): Promise<Outcome>;
  /** The standard input. */
  kubectlOf(input: string, ...args: string[]): Promise<Outcome>;
  /** Returns the output; fails the test when the command fails. */
  ok(...args: string[]): Promise<string>;
  json<T>(...args: string[]): Promise<T>;
  apply(manifest: string): Promise<string>;
  watch(...args: string[]): Running;
  /** Retries until it holds; rejects with the last state after so long that no machine is too slow. */
  until<T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean, minutes?: number): Promise<T>;
  close(): Promise<void>;
}

const applying = ['apply', '-f', '-'];

export const openInstallation = async (options?: PlaceOptions): Promise<Installation> => {
  const place = await openPlace(options);
  const directory = mkdtempSync(join(tmpdir(), 'capstan-e2e-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const kubectlBinary = findKubectls().at(-1)!;
  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...place.environment,
    HOME: directory,
    KUBECONFIG: kubeconfig,
    ...more,
  });

  const node = (file: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, [join(root, file), ...args], {
      environment: environment(more),
      directory: root,
      timeout: 15 * 60_000,
    });
  const capstan = (...args: string[]) => node('cli/main.ts', args);
  const kubectl = (args: readonly string[], input = '', more: Record<string, string> = {}) =>
    run(kubectlBinary, args, { environment: environment(more), input });
  const succeeded = ({ code, stdout, stderr }: Outcome, args: readonly string[]): string => {
    expect({ code, args, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, args, stderr: '' });
    return stdout;
  };
  const ok = async (...args: string[]) => succeeded(await kubectl(args), args);

  return {
    place,
    directory,
    kubeconfig,
    command: (script, ...args) => node('cli/main.ts', [script, ...args]),
    capstan,
    cdk: (args, more) =>
      // The app runs on the Node that package-lock.json pins.
      node('node_modules/aws-cdk/bin/cdk', args, {
        PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
        ...more,
      }),
    login: async () => {
      const url = place.emulator
        ? ['--url', place.emulator.url, '--certificate-authority', place.emulator.caFile]
        : ['--region', place.region];
      const login = await capstan('login', ...url, '--kubeconfig', kubeconfig);
      if (login.code !== 0) throw new Error(`the login failed: ${login.stderr}`);
    },
    kubectl: (...args) => kubectl(args),
    kubectlWith: (more, ...args) => kubectl(args, '', more),
    kubectlOf: (input, ...args) => kubectl(args, input),
    ok,
    json: async <T>(...args: string[]) => JSON.parse(await ok(...args, '-o', 'json')) as T,
    apply: async (manifest) => succeeded(await kubectl(applying, manifest), applying),
    watch: (...args) => start(kubectlBinary, args, environment()),
    until: async (what, look, holds, minutes = 15) => {
      const end = Date.now() + minutes * 60_000;
      for (;;) {
        const seen = await look();
        if (holds(seen)) return seen;
        if (Date.now() > end) throw new Error(`not within ${minutes} minutes: ${what}; last: ${JSON.stringify(seen)}`);
        await delay(1_000);
      }
    },
    close: async () => {
      await place.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Deploys it, and logs in. */
export const deployed = async (options?: PlaceOptions): Promise<Installation> => {
  const installation = await openInstallation(options);
  try {
    const { place, command, login } = installation;
    const options = place.emulator ? ['--bootstrap'] : ['--yes'];
    const deployment = await command('deploy', '--region', place.region, ...options);
    if (deployment.code !== 0) throw new Error(`the deployment failed: ${deployment.stdout}\n${deployment.stderr}`);
    await login();
    return installation;
  } catch (error) {
    await installation.close();
    throw error;
  }
};
