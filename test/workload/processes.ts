/** Programs that run beside the tests and end with them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Ports that were free a moment ago. */
export const freePorts = async (count: number): Promise<number[]> => {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
};

export interface Process {
  child: ChildProcess;
  /** Resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program whose output goes to a file. */
export const start = (program: string, args: string[], log: string): Process => {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log, { flags: 'a' });
  child.stdout.pipe(file);
  child.stderr.pipe(file);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A crashed test run must not leave it behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    child,
    stop: async (signal = 'SIGTERM') => {
      process.off('exit', kill);
      child.kill(signal);
      await ended;
    },
  };
};

/** Waits until `ready` returns true; rejects with the last failure after `seconds`. */
export const until = async (ready: () => Promise<boolean>, seconds = 60): Promise<void> => {
  let last: unknown = new Error('not ready');
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    try {
      if (await ready()) return;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw last;
};
