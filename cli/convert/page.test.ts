import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCodeOf, lineOf } from './changes.ts';
import { convert } from './convert.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'convert.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter((one) => one[1] === language);

it('the example of the page is what the command prints', async () => {
  const [before, after] = blocks('yaml').map(([, , text]) => text!);
  const [lines] = blocks('text').map(([, , text]) => text!);
  const { texts, changes } = await convert([{ name: 'old.yaml', text: before! }]);
  expect(texts).toEqual([after]);
  expect(changes.map((change) => `${lineOf(change)}\n`).join('')).toBe(lines);
  expect(exitCodeOf(changes)).toBe(3);
});
