import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Folders whose comments and messages name their actors. Add a folder when its words are right. */
const folders = [
  'adapters',
  'bench',
  'cdk',
  'cli',
  'emulator',
  'examples',
  'front',
  'kinds',
  'lambdas',
  'local',
  'machinery',
  'simulation',
  'stepfunctions',
  'test/simulate',
  'tools',
];

/** Words that hide the actor: write "the Machine controller", "an API client" or "the user". */
const vague = /\b(nobody|somebody|whoever|those who)\b/i;

const isProduct = (file: string) =>
  /\.(ts|mjs|py|json|yaml)$/.test(file) && !/\.(test|fixture)\.ts$/.test(file) && !file.includes('fixtures/');

const vagueLinesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => isProduct(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (vague.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );

describe('product code', () => {
  it.each(folders)('names the actor in %s', (folder) => expect(vagueLinesIn(folder)).toEqual([]));
});
