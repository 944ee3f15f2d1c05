/** Sends this process a signal amid a command, and collects what the command says of it. */
import { vi } from 'vitest';

export const interruptions = () => {
  const output: string[] = [];
  const codes: unknown[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => output.push(String(text)) > 0);
  vi.spyOn(process, 'exit').mockImplementation((code) => void codes.push(code) as never);
  return {
    /** The process does not end, so that the command does. */
    interrupt: () => void process.emit('SIGINT'),
    output: () => output.join(''),
    codes,
  };
};
