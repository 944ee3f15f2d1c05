import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const skipped = new Set(['node_modules', 'dist', 'out']);

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.name.startsWith('.') || skipped.has(entry.name)) return [];
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });

const isTest = (file: string) => /\.(test|fixture|contract)\.ts$/.test(file) || file.startsWith('test/');
const sources = filesIn('').filter((file) => !isTest(file));

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const specifiers = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)'([^']+)'/g)].map((match) => match[1]!);

interface Import {
  from: string;
  /** A path in the repository, or a package or built-in module as written. */
  to: string;
}
const resolved = (from: string, specifier: string): string =>
  specifier.startsWith('.') ? relative(root, normalize(join(root, dirname(from), specifier))) : specifier;
const imports: Import[] = sources.flatMap((from) =>
  specifiers(textOf(from)).map((specifier) => ({ from, to: resolved(from, specifier) })),
);
const ours = imports.filter(({ to }) => sources.includes(to));
const foreign = imports.filter(({ to }) => !sources.includes(to));

/** The kinds that Kubernetes brings along, which a simulated workload cluster serves, too. */
const builtIn = ['kinds/kubernetes/'];

/** Data on which calls the adapters make. */
const permissions = sources.filter((file) => /^adapters\/aws\/[a-z-]+\/permissions\.ts$/.test(file));

/** What each part of the tree may import of ours, besides itself. */
const may: Record<string, string[]> = {
  'machinery/': [],
  'kinds/': ['machinery/api/'],
  'adapters/': ['machinery/', 'kinds/ports/', 'simulation/ports.ts'],
  'simulation/': ['machinery/', 'kinds/ports/', ...builtIn],
  'cdk/': ['wiring.ts', 'stepfunctions/index.ts', 'kinds/ports/', ...permissions],
  'wiring.ts': [],
};

describe('imports point one way', () => {
  it.each(Object.entries(may))('%s', (part, allowed) => {
    const isAllowed = ({ to }: Import) => [part, ...allowed].some((prefix) => to.startsWith(prefix));
    const own = ours.filter(({ from }) => from.startsWith(part));
    expect(own.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('kinds/ports and machinery/api depend on types alone', () => {
    const outside = ours.filter(
      ({ from, to }) =>
        (from.startsWith('kinds/ports/') && !to.startsWith('kinds/ports/') && !to.startsWith('machinery/api/')) ||
        (from.startsWith('machinery/api/') && !to.startsWith('machinery/api/') && to !== 'machinery/store/store.ts'),
    );
    expect(outside.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('finds what it checks', () => {
    expect(ours.length).toBeGreaterThan(100);
    expect(specifiers(`import a from './a.ts';\nexport * from '../b.ts'; await import('c'); import 'd';`)).toEqual([
      './a.ts',
      '../b.ts',
      'c',
      'd',
    ]);
  });
});

describe('decisions stay pure', () => {
  const isPure = (file: string) => file.startsWith('machinery/') || file.startsWith('kinds/');
  /** Built-in modules without I/O, clock or chance worth hiding. */
  const harmless = ['node:crypto', 'node:zlib', 'node:util', 'node:buffer', 'node:net'];

  it('machinery and kinds reach the world through ports only', () => {
    const reached = foreign.filter(({ from, to }) => isPure(from) && to.startsWith('node:') && !harmless.includes(to));
    expect(reached.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('only adapters speak to AWS, besides the commands that deploy and what stands in for it', () => {
    const speak = ['adapters/', 'cli/', 'emulator/'];
    const isAllowed = (from: string) => speak.some((part) => from.startsWith(part));
    const spoken = foreign.filter(({ from, to }) => to.startsWith('@aws-sdk/') && !isAllowed(from));
    expect(spoken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('nothing but adapters, local and cli reads a clock or draws a number', () => {
    const impure =
      /\bDate\.now\(|\bMath\.random\(|\bset(?:Timeout|Interval|Immediate)\(|\bnew Date\(\)|\bperformance\.now\(/;
    const guarded = sources.filter((file) => isPure(file) || file.startsWith('simulation/'));
    expect(guarded.filter((file) => impure.test(textOf(file)))).toEqual([]);
  });
});
