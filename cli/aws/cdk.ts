/** The pinned CDK CLI, as a process of its own. */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from './session.ts';
import type { Context } from './stack.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** Runs it in the repository, its output on ours. Resolves with its exit code. */
export const runCdk = (words: readonly string[], { region, profile, account }: Session): Promise<number> => {
  const env = {
    ...process.env,
    // The app is run by the Node that package-lock.json pins, whatever Node started this.
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DEFAULT_REGION: region,
    CDK_DEFAULT_ACCOUNT: account,
  };
  const all = [...words, '--no-notices', ...(profile ? ['--profile', profile] : [])];
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [cdk, ...all], { cwd: root, env, stdio: 'inherit' });
    run.on('error', reject);
    run.on('exit', (code) => resolve(code ?? 1));
  });
};

/** Where what was synthesised goes. */
export const output = join(root, '.build', 'cdk.out');

export const contextWords = (context: Context): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
