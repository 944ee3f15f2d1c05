import type { Command } from 'commander';
import { show } from './failure.ts';

const findIn = ({ commands }: Command, word: string): Command | undefined =>
  commands.find((one) => one.name() === word || one.aliases().includes(word));

/** `describe cluster/NAME` is `describe cluster NAME`: kubectl takes both. */
export const separated = (program: Command, words: readonly string[]): readonly string[] => {
  let command = program;
  for (const [at, word] of words.entries()) {
    if (word === '--' || command.commands.length === 0) break;
    const next = findIn(command, word);
    const [kind = '', ...name] = word.split('/');
    if (!next && name.length > 0 && findIn(command, kind)) return words.toSpliced(at, 1, kind, name.join('/'));
    command = next ?? command;
  }
  return words;
};

/** Runs a command. Errors print one sentence; the exit code of wrong usage is 2. */
export const run = async (command: Command, words: readonly string[] = process.argv.slice(2)): Promise<void> => {
  try {
    await command.parseAsync(separated(command, words), { from: 'user' });
  } catch (error) {
    show(error);
  }
};
