/** The events of a run, as a hash and as text. Random keys and signatures are left out. */
import { createHash } from 'node:crypto';
import { withoutRandom } from './without-random.ts';

export interface Story {
  /** Records an event. */
  tell(what: string, ...facts: unknown[]): void;
  /** The hash over all events. */
  hash(): string;
  /** The last events, one a line. */
  lines(): string[];
  readonly events: number;
}

const longestTail = 400;

const textOf = (fact: unknown): string =>
  withoutRandom(typeof fact === 'string' ? fact : (JSON.stringify(fact) ?? 'nothing'));

export interface StoryOptions {
  now: () => number;
  /** Receives each line as it is recorded. */
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
