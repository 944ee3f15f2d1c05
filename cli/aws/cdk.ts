/** Runs the pinned CDK CLI as a child process. */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../errors.ts';
import type { Session } from './session.ts';
import type { Context } from './stack.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** The folder of synthesised templates. */
export const output = join(root, '.build', 'cdk.out');

const mostShown = 25;

export interface CdkRun {
  code: number;
  /** The file with its output. */
  logFile: string;
}

/** Runs in the repository; the output goes to `.build/cdk-<name>.log`. */
export const runCdk = (name: string, args: readonly string[], session: Session): Promise<CdkRun> => {
  const { region, profile, account } = session;
  const env = {
    ...process.env,
    // The app runs on the Node that package-lock.json pins, whatever Node started this.
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DEFAULT_REGION: region,
    CDK_DEFAULT_ACCOUNT: account,
  };
  const all = [...args, '--no-notices', '--no-color', ...(profile ? ['--profile', profile] : [])];
  mkdirSync(join(root, '.build'), { recursive: true });
  const logFile = join(root, '.build', `cdk-${name}.log`);
  const log = createWriteStream(logFile);
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [cdk, ...all], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    run.stdout.pipe(log, { end: false });
    run.stderr.pipe(log, { end: false });
    // A CDK that outlives this process would lock the output of the next one.
    const end = () => void run.kill('SIGINT');
    process.once('exit', end);
    run.on('error', reject);
    run.on('close', (code) => {
      process.off('exit', end);
      log.end(() => resolve({ code: code ?? 1, logFile }));
    });
  });
};

/** How the CDK refuses an output that another process of it reads or writes. */
const lockedBy = /Other CLIs \(PID=(\d+)[\d, ]*\)|Another CLI \(PID=(\d+)\)/;

/** `what` failed, with the last lines that the CDK printed. */
export const cdkFailure = (what: string, { logFile }: CdkRun): CliError => {
  const [, reader, writer] = lockedBy.exec(readFileSync(logFile, 'utf8')) ?? [];
  const holder = reader ?? writer;
  if (holder !== undefined)
    return new CliError(
      `${what}, because another deployment from this checkout runs, as process ${holder}: wait until it ends, or end it:  kill ${holder}`,
    );
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-mostShown);
  return new CliError(
    [`${what}:`, ...lines.map((line) => `  ${line}`), `All of it: ${relative(process.cwd(), logFile)}`].join('\n'),
  );
};

export const contextArgs = (context: Context): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);

/** Writes the templates of these stacks into `output`. Publishes nothing. */
export const synthesise = async (stacks: readonly string[], context: Context, session: Session): Promise<void> => {
  const args = ['synth', ...stacks, '--exclusively', '--quiet', '--output', output, ...contextArgs(context)];
  const run = await runCdk('synth', args, session);
  if (run.code !== 0) throw cdkFailure('the stacks could not be synthesised, and nothing was changed', run);
};
