/** What happened in a run, as one hash and as a story. What is random by nature, keys and signatures, is left out. */
import { createHash } from 'node:crypto';
import { withoutRandom } from './without-random.ts';

export interface Story {
  /** One thing that happened. */
  tell(what: string, ...facts: unknown[]): void;
  /** Over all of it. */
  hash(): string;
  /** The last of it, a line each. */
  lines(): string[];
  readonly events: number;
}

const longestTail = 400;

const textOf = (fact: unknown): string =>
  withoutRandom(typeof fact === 'string' ? fact : (JSON.stringify(fact) ?? 'nothing'));

export interface StoryOptions {
  now: () => number;
  /** Every line as it comes. */
  print?: ((line: string) => void) | undefined;
}

export const createStory = ({ now, print }: StoryOptions): Story => {
  const digest = createHash('sha256');
  const start = now();
  const tail: (() => string)[] = [];
  let events = 0;
  return {
    tell: (what, ...facts) => {
      events += 1;
      const text = `${now() - start} ${what} ${facts.map(textOf).join(' ')}\n`;
      digest.update(text);
      const [at, whole] = [now() - start, text];
      const line = () => `${new Date(at).toISOString().slice(8, 23).replace('T', ' ')} ${shortened(whole)}`;
      if (print) print(line());
      tail.push(line);
      if (tail.length > longestTail) tail.shift();
    },
    hash: () => digest.copy().digest('hex').slice(0, 16),
    lines: () => tail.map((line) => line()),
    get events() {
      return events;
    },
  };
};

const shortened = (text: string): string => {
  const line = text.slice(text.indexOf(' ') + 1).trimEnd();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
};
