/** A type of operation is its folder: nothing outside of it compares with its name. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operationTypes } from '../../kinds/operations/facts.ts';

const root = join(import.meta.dirname, '../..');
const names = operationTypes.join('|');
const comparisons = [
  new RegExp(`\\btype\\b[^\\n;,]{0,20}[!=]==?\\s*'(?:${names})'`),
  new RegExp(`'(?:${names})'\\s*[!=]==?[^\\n;,]{0,40}\\btype\\b`),
  new RegExp(`\\[[^\\]\\n]*'(?:${names})'[^\\]\\n]*\\]\\.(?:includes|some)\\([^)\\n]*type`),
];
const isComparison = (line: string): boolean => comparisons.some((pattern) => pattern.test(line));

const own = new RegExp(`^kinds/operations/(?:${names})/`);
const sources = ['bench', 'cdk', 'cli', 'emulator', 'front', 'kinds', 'lambdas', 'local', 'runtime', 'stepfunctions']
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file) && !own.test(file));

it.each([
  "if (spec?.type === 'restore') return;",
  "const isDelete = operation.spec?.type !== 'delete';",
  "if ('upgrade' === spec.type) return;",
  "if (['upgrade', 'restore'].includes(operation.spec?.type ?? '')) return;",
])('sees the comparison %s', (line) => expect(isComparison(line)).toBe(true));

it('finds no comparison outside of the types', () => {
  const found = sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (isComparison(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
