import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { table } from '../../kinds/not-acted-on.ts';

const root = join(import.meta.dirname, '..', '..');

/** Not ours to describe: dependencies, state, and what git and editors keep. */
const undescribed = new Set(['node_modules', 'coverage']);

const notActedOn = (): string => {
  const rows = table.map(({ kind, path, feature }) => `| ${kind} | \`${path}\` | ${feature} |`);
  return [
    '# Accepted, stored, and not acted on',
    '',
    'These fields are taken because manifests have them, kept as they are, and change nothing. Whoever sets one is told with a warning,',
    'and the object says so in a condition or message. This page is generated from the table that does it.',
    '',
    '| kind | field | what is not done |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
};

describe('the documentation', () => {
  it('lists what is accepted but not acted on from the table that reports it', async () => {
    await expect(notActedOn()).toMatchFileSnapshot(join(root, 'docs', 'not-acted-on.md'));
  });

  it('names every folder of the tree in ARCHITECTURE.md, and none that is not there', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/^\| `([a-z/.-]+)` \|/gm)].map(([, path]) => path!);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !undescribed.has(entry.name))
      .map(({ name }) => `${name}/`);
    expect(folders.filter((folder) => !named.some((path) => path.startsWith(folder)))).toEqual([]);
  });

  it('links only to files that are there', () => {
    const pages = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'docs/differences.md',
      'docs/operations.md',
      'docs/roadmap.md',
    ];
    const broken = pages.flatMap((page) => {
      const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => link!);
      return links.filter((link) => !existsSync(join(root, page, '..', link))).map((link) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
  });
});
