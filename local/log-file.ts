/** The log of a control plane on a laptop: decisions and errors, for `capstan logs`. */
import type { Log } from '../machinery/ports.ts';
import { entryOf } from './log.ts';
import { rotatingFile } from './rotating-file.ts';

/** Where the log of a data directory goes. */
export const logFileOf = (directory: string): string => `${directory}/capstan.log`;

/** Writes everything to the file, and passes it on. */
export const fileLog = (path: string, next: Log, now: () => number, most?: number): Log => {
  const append = rotatingFile(path, most);
  const write = (entry: string) => append(`${new Date(now()).toISOString()} ${entry}`);
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
