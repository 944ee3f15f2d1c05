import type { Command } from 'commander';
import { show } from './failure.ts';

const findIn = ({ commands }: Command, arg: string): Command | undefined =>
  commands.find((one) => one.name() === arg || one.aliases().includes(arg));

/** `describe cluster/NAME` is `describe cluster NAME`: kubectl takes both. */
export const separated = (program: Command, args: readonly string[]): readonly string[] => {
  let command = program;
  for (const [at, arg] of args.entries()) {
    if (arg === '--' || command.commands.length === 0) break;
    const next = findIn(command, arg);
    const [kind = '', ...name] = arg.split('/');
    if (!next && name.length > 0 && findIn(command, kind)) return args.toSpliced(at, 1, kind, name.join('/'));
    command = next ?? command;
  }
  return args;
};

/** Runs a command. Errors print one sentence; the exit code of wrong usage is 2. */
export const run = async (command: Command, args: readonly string[] = process.argv.slice(2)): Promise<void> => {
  try {
    await command.parseAsync(separated(command, args), { from: 'user' });
  } catch (error) {
    show(error);
  }
};
