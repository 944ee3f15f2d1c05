/** Executes runs in child processes, by default one for each processor. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createCoverage } from './coverage.ts';
import { noneFired } from './faults/index.ts';
import type { Outcome, RunOptions } from './simulation.ts';

export interface Processes {
  /** A run fails if its process exits or it does not end. */
  run(options: RunOptions): Promise<Outcome>;
  close(): void;
}

/** In real time. A run takes seconds; a longer one is in an endless loop. */
const longest = 15 * 60_000;
const path = fileURLToPath(new URL('process.ts', import.meta.url));

const lost = (options: RunOptions, message: string): Outcome => ({
  seed: options.seed,
  options,
  hash: 'none',
  failure: { invariant: 'comes to an end', message },
  story: [],
  events: 0,
  virtualHours: 0,
  cpuSeconds: 0,
  fired: noneFired(),
  coverage: createCoverage().counts(),
});

export const openProcesses = (isTwice: boolean): Processes => {
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();
  const start = () => {
    const child = fork(path);
    all.add(child);
    child.once('exit', () => all.delete(child));
    return child;
  };
  return {
    run: (options) =>
      new Promise((resolve) => {
        const child = idle.pop() ?? start();
        const end = (outcome: Outcome) => {
          clearTimeout(timer);
          child.removeListener('message', answered);
          child.removeListener('exit', exited);
          resolve(outcome);
        };
        const answered = (outcome: Outcome) => {
          idle.push(child);
          end(outcome);
        };
        const exited = (code: number | null, signal: string | null) =>
          end(lost(options, `its process ended with ${signal ?? code}`));
        const timer = setTimeout(() => {
          child.kill('SIGKILL');
          end(lost(options, `it did not end within ${longest / 60_000} minutes`));
        }, longest);
        child.once('message', answered);
        child.once('exit', exited);
        child.send({ ...options, isTwice });
      }),
    close: () => {
      for (const child of all) child.kill();
    },
  };
};
