/** The log of a control plane on a laptop: decisions and errors, for `capstan logs`. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import type { Log } from '../machinery/ports.ts';
import { entryOf } from './log.ts';

/** Bytes after which a file makes room for the next; one before it is kept. */
const longest = 20 * 1024 * 1024;

/** Where the log of a data directory goes. */
export const logFileOf = (directory: string): string => `${directory}/capstan.log`;

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
};

/** Writes everything to the file, and passes it on. A disk that is full costs entries, not the control plane. */
export const fileLog = (path: string, next: Log, now: () => number, most = longest): Log => {
  let size = sizeOf(path);
  const write = (entry: string) => {
    const line = `${new Date(now()).toISOString()} ${entry}\n`;
    try {
      if (size + line.length > most) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      appendFileSync(path, line, { mode: 0o600 });
      size += line.length;
    } catch {
      return;
    }
  };
  return {
    info: (message, keys) => {
      write(entryOf('info', message, keys));
      next.info(message, keys);
    },
    error: (message, keys) => {
      write(entryOf('error', message, keys));
      next.error(message, keys);
    },
  };
};
