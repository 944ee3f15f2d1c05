/** Asks before something that cannot be taken back. */
import { createInterface } from 'node:readline/promises';
import { CliError } from './errors.ts';

/** Throws CliError unless a person types `expected`; where there is no terminal, only `--yes` answers. */
export const confirm = async (question: string, expected: string): Promise<void> => {
  if (!process.stdin.isTTY)
    throw new CliError(`${question}\nNothing was changed: there is no terminal to ask at; say --yes if that is meant`);
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`${question}\nType ${expected} to go on: `);
  prompt.close();
  if (answer.trim() !== expected) throw new CliError('nothing was changed');
};
