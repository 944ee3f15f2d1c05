import { type Command, CommanderError } from 'commander';
import { CliError } from './errors.ts';

/** Runs a command. User errors print one line; the exit code of wrong usage is 2. */
export const run = async (command: Command, words: readonly string[] = process.argv.slice(2)): Promise<void> => {
  try {
    await command.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof CliError) {
      process.stderr.write(`error: ${error.message}\n`);
      process.exitCode = error.exitCode;
    } else throw error;
  }
};
