/** A server process of another program: starts it on a free port, waits for it, stops it, and restarts it on the same port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Guardian } from './guardian.ts';

export interface ServerOptions {
  name: string;
  command: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Returns 200 once it serves. */
  health: string;
  /** Receives its output. */
  logFile: string;
  guardian: Guardian;
  /** The process exited unexpectedly. */
  onCrash?: (how: string) => void;
}

export interface Server {
  pid(): number | undefined;
  /** Sends SIGTERM, and waits for the exit. */
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  crash(): Promise<void>;
  /** Resolves when it serves. Rejects with its last output. */
  start(): Promise<void>;
}

/** Milliseconds for a start, and for an end, in which it saves its state: on a busy machine both take long. */
const timeout = 180_000;

export const freePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
};

const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
};

/** Characters. */
const longestOutput = 4096;

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
const howOf = ({ exitCode, signalCode }: ChildProcess) =>
  signalCode === null ? `ended with ${exitCode}` : `was killed by ${signalCode}`;

export const createServerProcess = (options: ServerOptions): Server => {
  const { name, command, args, environment, health, logFile, guardian, onCrash } = options;
  let child: ChildProcess | undefined;
  /** The end of what it printed as an error. */
  let errorOutput = '';
  const expected = new WeakSet<ChildProcess>();

  const launch = (): ChildProcess => {
    const log = createWriteStream(logFile, { flags: 'a' });
    // A session of its own: Ctrl-C or a closed terminal must not end it before its state is saved.
    const started = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    started.stdout.pipe(log, { end: false });
    started.stderr.pipe(log, { end: false });
    errorOutput = '';
    started.stderr.on('data', (chunk: Buffer) => {
      errorOutput = `${errorOutput}${String(chunk)}`.slice(-longestOutput);
    });
    const { pid } = started;
    if (pid !== undefined) guardian.watch(pid);
    started.once('exit', () => {
      if (pid !== undefined) guardian.release(pid);
      if (!expected.has(started)) onCrash?.(howOf(started));
    });
    // After the exit the pipes may still contain output.
    started.once('close', () => log.end());
    return started;
  };
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    child = undefined;
    if (!ending || hasEnded(ending)) return;
    expected.add(ending);
    const gone = once(ending, 'exit');
    ending.kill(signal);
    const timer = setTimeout(() => ending.kill('SIGKILL'), timeout);
    await gone;
    clearTimeout(timer);
  };

  return {
    pid: () => child?.pid,
    stop: () => ended('SIGTERM'),
    crash: () => ended('SIGKILL'),
    start: async () => {
      const started = launch();
      child = started;
      let failure: Error | undefined;
      started.once('error', (error) => {
        failure = error;
      });
      const deadline = Date.now() + timeout;
      while (!(await answers(health))) {
        if (failure) throw new Error(`cannot start ${name}: ${failure.message}`, { cause: failure });
        if (hasEnded(started)) {
          const why = /address already in use/i.test(errorOutput) ? ': address already in use' : '';
          throw new Error(`${name} ${howOf(started)} as it began${why}; its output is in ${logFile}`);
        }
        if (Date.now() > deadline) throw new Error(`${name} does not answer; its output is in ${logFile}`);
        await delay(50);
      }
    },
  };
};
