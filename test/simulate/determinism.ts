/** Runs a seed twice to check that the seed determines the run. */
import { type Outcome, type RunOptions, simulate } from './simulation.ts';

const storyOf = async (options: RunOptions): Promise<string[]> => {
  const lines: string[] = [];
  await simulate({ ...options, print: (line) => void lines.push(line) });
  return lines;
};

/** The first line in which two further runs differ. */
const difference = async (options: RunOptions): Promise<string> => {
  const [one, other] = [await storyOf(options), await storyOf(options)];
  const at = one.findIndex((line, index) => line !== other[index]);
  if (at < 0 && one.length === other.length) return 'two further runs were equal';
  const line = at < 0 ? one.length : at;
  return `line ${line}: ${one[line] ?? 'its end'}\nline ${line}: ${other[line] ?? 'its end'}`;
};

export const simulateTwice = async (options: RunOptions): Promise<Outcome> => {
  const first = await simulate(options);
  const { hash } = await simulate(options);
  if (hash === first.hash) return first;
  const message = `${first.hash} became ${hash}\n${await difference(options)}`;
  return { ...first, failure: { invariant: 'one seed, one run', message } };
};
