/** Structured logs: one line of JSON per entry, with the invocation's keys, without secrets. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Log } from '../../../machinery/ports.ts';
import { redact, redactText } from './redact.ts';

export type LogKeys = Record<string, unknown>;

export interface LambdaLogOptions {
  clock: Pick<Clock, 'now'>;
  /** The output; Lambda captures stdout. */
  write?: (line: string) => void;
  /** False logs errors only. */
  verbose?: boolean;
}

// Async-local, because one process may handle several events at once.
const about = new AsyncLocalStorage<LogKeys>();

/** Adds these keys to every entry while `run` runs. */
export const withLogKeys = <T>(keys: LogKeys, run: () => T): T => about.run({ ...about.getStore(), ...keys }, run);

export const lambdaLog = ({ clock, write = console.log, verbose = true }: LambdaLogOptions): Log => {
  const entry = (level: 'INFO' | 'ERROR', message: string, keys: LogKeys = {}) => {
    const facts = redact({ ...about.getStore(), ...keys }) as LogKeys;
    const time = new Date(clock.now()).toISOString();
    write(JSON.stringify({ ...facts, level, message: redactText(message), timestamp: time }));
  };
  return {
    info: (message, keys) => {
      if (verbose) entry('INFO', message, keys);
    },
    error: (message, keys) => entry('ERROR', message, keys),
  };
};
