/** Asks for confirmation of an irreversible action. */
import { createInterface } from 'node:readline/promises';
import { CliError } from './errors.ts';

/** Throws CliError unless the user types `expected`; without a terminal the caller must pass `--yes`. */
export const confirm = async (question: string, expected: string): Promise<void> => {
  if (!process.stdin.isTTY)
    throw new CliError(`${question}\nNothing was changed: without a terminal, confirm with --yes`);
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`${question}\nType ${expected} to go on: `);
  prompt.close();
  if (answer.trim() !== expected) throw new CliError('nothing was changed');
};
