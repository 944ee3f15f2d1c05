import type { Log } from '../machinery/ports.ts';

/** An Error has no fields of its own that JSON would show. */
const text = (value: unknown): string => {
  if (value instanceof Error) return value.stack ?? String(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** One decision or error: its level, its sentence, then its facts. */
export const entryOf = (level: 'info' | 'error', message: string, keys: Record<string, unknown> = {}): string =>
  [`${level}:`, message, ...Object.entries(keys).map(([key, value]) => `${key}=${text(value)}`)].join(' ');

const write = (entry: string) => process.stderr.write(`${entry}\n`);

/** Errors for the person at the terminal; decisions only when CAPSTAN_LOG=info asks for them. */
export const stderrLog: Log = {
  info: (message, keys) => {
    if (process.env.CAPSTAN_LOG === 'info') write(entryOf('info', message, keys));
  },
  error: (message, keys) => void write(entryOf('error', message, keys)),
};
