/** Runs commands without blocking the event loop, because their server may run in this process. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  environment?: NodeJS.ProcessEnv;
  input?: string;
  directory?: string;
  /** Milliseconds after which it is killed. */
  timeout?: number;
}

const collected = (child: ChildProcess): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });

export const run = (command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> => {
  const { environment = process.env, input, directory, timeout = 300_000 } = options;
  const child = spawn(command, args, {
    env: environment,
    timeout,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(directory !== undefined && { cwd: directory }),
  });
  const outcome = collected(child);
  child.stdin?.end(input ?? '');
  return outcome;
};

export interface Running {
  printed(): string;
  stop(): Promise<void>;
}

/** Runs until it is stopped. */
export const start = (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Running => {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    printed: () => printed,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
};
