import type { Log } from '../machinery/ports.ts';

const write = (level: 'info' | 'error', message: string, keys: Record<string, unknown> = {}): void => {
  const facts = Object.entries(keys).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  process.stderr.write(`${[`${level}:`, message, ...facts].join(' ')}\n`);
};

/** Errors for the person at the terminal; decisions only when CAPSTAN_LOG=info asks for them. */
export const stderrLog: Log = {
  info: (message, keys) => {
    if (process.env.CAPSTAN_LOG === 'info') write('info', message, keys);
  },
  error: (message, keys) => write('error', message, keys),
};
