import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};
/** `a/{b,c}.ts` names two files. */
const filesOf = (pattern: string): string[] => {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(',').map((name) => `${before}${name}${after}`);
};

it.each(mutate.flatMap(filesOf))('mutates %s, which exists', (file) => expect(existsSync(join(root, file))).toBe(true));
