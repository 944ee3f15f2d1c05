/** Outside of a sandbox: a child process that handles one event at a time and is frozen in between. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Guardian } from '../guardian.ts';
import type { FromSandbox, FunctionFailure, Head, Invocation, Names, ToSandbox } from './messages.ts';

export interface SandboxOptions {
  environment: Record<string, string>;
  folder: string;
  /** Megabytes. */
  memory: number;
  guardian: Guardian;
  names: () => Names;
  onLine: (line: string) => void;
}

export interface StreamSink {
  head(head: Head): void;
  chunk(chunk: Uint8Array): void;
  end(): void;
}

export interface Sandbox {
  pid: number;
  isDead(): boolean;
  /** Rejects with a FunctionError. */
  invoke(invocation: Invocation, sink?: StreamSink): Promise<unknown>;
  tellNames(): void;
  /** The reader of its stream disconnected. */
  tellGone(): void;
  kill(): void;
}

/** An error of the function, or of the platform about it. */
export class FunctionError extends Error {
  readonly failure: FunctionFailure;
  constructor(failure: FunctionFailure) {
    super(failure.errorMessage);
    this.name = 'FunctionError';
    this.failure = failure;
  }
}

const entry = join(import.meta.dirname, 'sandbox-process.ts');
/** Milliseconds for loading the function. */
const initTimeout = 60_000;

const signal = (child: ChildProcess, name: NodeJS.Signals): void => {
  if (child.exitCode === null && child.signalCode === null) child.kill(name);
};

interface Running {
  id: string;
  sink: StreamSink | undefined;
  resolve: (value: unknown) => void;
  reject: (error: FunctionError) => void;
}

export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { environment, folder, memory, guardian, names, onLine } = options;
  const child = fork(entry, [], {
    cwd: folder,
    env: environment,
    execArgv: [`--max-old-space-size=${memory}`, '--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const pid = child.pid;
  if (pid === undefined) throw new FunctionError({ errorType: 'Runtime.ExitError', errorMessage: 'cannot start' });
  guardian.watch(pid);
  for (const output of [child.stdout, child.stderr]) if (output) createInterface({ input: output }).on('line', onLine);

  let running: Running | undefined;
  let isDead = false;
  const send = (message: ToSandbox) => {
    if (child.connected) child.send(message, () => undefined);
  };
  const finish = (): Running | undefined => {
    const ended = running;
    running = undefined;
    // A sandbox is frozen between events, as on Lambda.
    signal(child, 'SIGSTOP');
    return ended;
  };
  child.once('exit', (code, how) => {
    isDead = true;
    guardian.release(pid);
    const ended = running;
    running = undefined;
    const errorMessage = `Runtime exited with error: ${how === null ? `exit status ${code}` : `signal: ${how}`}`;
    ended?.reject(new FunctionError({ errorType: 'Runtime.ExitError', errorMessage }));
  });
  // A message to an exited process fails; the exit handler reports it.
  child.on('error', () => undefined);

  await new Promise<void>((resolve, reject) => {
    const refuse = (failure: FunctionFailure) => {
      clearTimeout(timer);
      signal(child, 'SIGKILL');
      reject(new FunctionError(failure));
    };
    const timer = setTimeout(
      () => refuse({ errorType: 'Sandbox.Timedout', errorMessage: `no function after ${initTimeout} ms` }),
      initTimeout,
    );
    const ended = () =>
      refuse({ errorType: 'Runtime.ExitError', errorMessage: 'it ended while the function was loaded' });
    child.once('exit', ended);
    child.once('message', (message: FromSandbox) => {
      child.off('exit', ended);
      if (message.say !== 'ready')
        return refuse(message.say === 'unable' ? message.failure : { errorType: 'Runtime', errorMessage: 'odd' });
      clearTimeout(timer);
      resolve();
    });
  });
  signal(child, 'SIGSTOP');

  child.on('message', (message: FromSandbox) => {
    if (!('id' in message) || message.id !== running?.id) return;
    switch (message.say) {
      case 'result':
        finish()?.resolve(message.value);
        return;
      case 'failure':
        finish()?.reject(new FunctionError(message.failure));
        return;
      case 'head':
        running.sink?.head(message.head);
        return;
      case 'chunk':
        running.sink?.chunk(message.chunk);
        return;
      case 'end':
        running.sink?.end();
        return;
    }
  });

  return {
    pid,
    isDead: () => isDead,
    invoke: (invocation, sink) =>
      new Promise((resolve, reject) => {
        running = { id: invocation.id, sink, resolve, reject };
        signal(child, 'SIGCONT');
        send({ say: 'invoke', invocation, names: names() });
      }),
    tellNames: () => send({ say: 'names', names: names() }),
    tellGone: () => send({ say: 'gone' }),
    kill: () => signal(child, 'SIGKILL'),
  };
};
