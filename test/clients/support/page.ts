/** Commands of documents, which tests run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../../../docs');

/** The arguments of the commands under a heading of a page, one command a line. */
export const commandsUnder = (page: string, heading: string): string[][] => {
  const text = readFileSync(join(docs, page), 'utf8');
  const section = text.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const code = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines!).join('');
  return code
    .replaceAll('\\\n', ' ')
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(1));
};
