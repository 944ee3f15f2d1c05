/** Decisions and machinery never read a clock, draw a number, set a timer or reach outside except through a port. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';

const root = join(import.meta.dirname, '../..');
const pure = ['kinds', 'machinery', 'simulation', 'stepfunctions'];

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** Strips comments and strings. */
const codeOf = (text: string) =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");

const impure: [what: string, pattern: RegExp][] = [
  ['reads a clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\b|\bhrtime\b/],
  ['draws a number', /\bMath\.random\b|\brandomBytes\b|\brandomUUID\b|\brandomInt\b|\bgetRandomValues\b/],
  ['sets a timer', /\bset(Timeout|Interval|Immediate)\b|\bnextTick\b|\bAbortSignal\.timeout\b/],
  ['reaches outside', /\bglobalThis\b|\bawait fetch\(|\bprocess\.(env|stdout|stderr|argv)\b/],
];
/** Built-in modules that only compute; of `node:net`, only the address checks. */
const computing = new Set(['node:crypto', 'node:zlib', 'node:buffer', 'node:util']);
const specifiers = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)'([^']+)'/g)].map((match) => match[1]!);

/** All modules reachable from a file, itself first. */
const reachable = (from: readonly string[]): Set<string> => {
  const seen = new Set<string>();
  const open = [...from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (!file.endsWith('.ts')) continue;
    for (const specifier of specifiers(textOf(file)))
      if (specifier.startsWith('.')) open.push(relative(root, normalize(join(root, dirname(file), specifier))));
  }
  return seen;
};
const files = [...reachable(pure.flatMap(filesIn))].filter((file) => file.endsWith('.ts')).sort();

describe('no module that decides', () => {
  it.each(impure)('%s', (_, pattern) => {
    expect(files.filter((file) => pattern.test(codeOf(textOf(file))))).toEqual([]);
  });

  it('imports a module that does more than compute', () => {
    const outside = files.flatMap((file) =>
      [...textOf(file).matchAll(/import (type )?([^;]*?) from '(node:[^']+)'/g)]
        .filter(([, isType, names, module]) => {
          if (isType || computing.has(module!)) return false;
          return !(module === 'node:net' && names === '{ isIP }');
        })
        .map(([, , names, module]) => `${file} → ${names} from ${module}`),
    );
    expect(outside).toEqual([]);
  });

  it('bypasses the type checker', () => {
    const casts = filesIn('kinds').filter((file) => /\bas unknown as\b/.test(codeOf(textOf(file))));
    expect(casts).toEqual([]);
  });

  it('is missing from this test', () => {
    for (const { kind } of kinds)
      expect(
        files.some((file) => textOf(file).includes(kind)),
        kind,
      ).toBe(true);
    expect(files.length).toBeGreaterThan(300);
  });
});
