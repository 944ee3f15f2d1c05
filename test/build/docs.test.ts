import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys, table } from '../../kinds/not-acted-on.ts';

const root = join(import.meta.dirname, '..', '..');

/** Columns per line. Table rows and code blocks cannot be wrapped. */
const maxColumns = 100;

/** The folders that ARCHITECTURE.md does not describe: dependencies and output. */
const undescribed = new Set(['node_modules', 'coverage']);

const isMarkdown = (path: string) => path.endsWith('.md');
const describing = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(isMarkdown)
    .map((path) => join('docs', path)),
];
const pages = [...describing, 'CHANGELOG.md', join('bench', 'README.md')];

const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** The lines of prose: outside code blocks and tables. */
const proseOf = (page: string) => {
  let isCode = false;
  return read(page)
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => {
      if (line.startsWith('```')) isCode = !isCode;
      return !isCode && !line.startsWith('```') && !line.startsWith('|');
    });
};

/** The anchor that GitHub derives from a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string) =>
  proseOf(page).flatMap(({ line }) => {
    const heading = /^#+ (.*)$/.exec(line);
    return heading ? [anchorOf(heading[1]!)] : [];
  });

const notActedOn = (): string => {
  const rows = (entries: { feature: string; text: string }[]) => {
    const features = new Map<string, string[]>();
    for (const { feature, text } of entries) features.set(feature, [...(features.get(feature) ?? []), text]);
    return [...features].map(([feature, texts]) => `| ${feature} | ${texts.join('<br>')} |`);
  };
  return [
    '# Fields and keys that are stored without effect',
    '',
    'Manifests contain these fields, so the API accepts and stores them. A client that sets one gets a',
    'warning, and a condition or message of the object names it. This page is generated from the table',
    'that produces the warnings.',
    '',
    '| missing feature | fields |',
    '|---|---|',
    ...rows(table.map(({ kind, path, feature }) => ({ feature, text: `${kind}: \`${path}\`` }))),
    '',
    '## Labels and annotations',
    '',
    'A client that sets one of these gets a warning. All others of Cluster API, its kubeadm providers',
    'and its AWS provider are acted on, or are notes of their controllers.',
    '',
    '| missing feature | keys |',
    '|---|---|',
    ...rows(
      keys.map(({ kind = 'any kind', in: field, key, feature }) => ({
        feature,
        text: `${kind}: \`metadata.${field}[${key}]\``,
      })),
    ),
    '',
  ].join('\n');
};

describe('the documentation', () => {
  it('lists the fields without effect from the table that reports them', async () => {
    await expect(notActedOn()).toMatchFileSnapshot(join(root, 'docs', 'not-acted-on.md'));
  });

  it('names every folder of the tree in ARCHITECTURE.md, and no missing one', () => {
    const text = read('ARCHITECTURE.md');
    const named = [...text.matchAll(/^\| `([a-z/.-]+)` \|/gm)].map(([, path]) => path!);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !undescribed.has(entry.name))
      .map(({ name }) => `${name}/`);
    expect(folders.filter((folder) => !named.some((path) => path.startsWith(folder)))).toEqual([]);
  });

  it.each(pages)('%s has short lines', (page) => {
    const long = proseOf(page).filter(({ line }) => line.length > maxColumns);
    expect(long.map(({ number }) => `${page}:${number}`)).toEqual([]);
  });

  it.each(pages)('%s links to existing files and headings', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path, anchor] = link.split('#') as [string, string?];
      const target = path === '' ? page : join(page, '..', path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('is linked: every page and every example from a page', () => {
    const linked = describing.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s#]+)/g)].map(([, path]) => join(page, '..', path!)),
    );
    const targets = [
      ...describing.filter((page) => page !== 'README.md'),
      ...readdirSync(join(root, 'examples'), { encoding: 'utf8' }).map((name) => join('examples', name)),
    ];
    expect(targets.filter((target) => !linked.includes(target) && !target.startsWith('docs/adr/'))).toEqual([]);
  });

  it.each(pages)('%s names existing files', (page) => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    const paths = [...read(page).matchAll(/`([a-z0-9-]+(?:\/[A-Za-z0-9_.-]+)+)`/g)].map(([, path]) => path!);
    const missing = paths.filter((path) => folders.includes(path.split('/')[0]!) && !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });
});
