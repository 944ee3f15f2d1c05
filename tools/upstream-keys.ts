/**
 * The keys of annotations and labels that Cluster API, its kubeadm providers and its AWS provider
 * declare, from their Go sources: `node tools/upstream-keys.ts` writes them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go } from '../test/go.ts';

const modules = {
  'sigs.k8s.io/cluster-api': 'v1.14.2',
  'sigs.k8s.io/cluster-api/api': 'v1.14.2',
  'sigs.k8s.io/cluster-api-provider-aws/v2': 'v2.11.1',
};
const path = join(import.meta.dirname, '../test/upstream/keys.json');

/** Folders of tests, of commands that only show objects, and of providers that are not served here. */
const skipped = /(^|\/)(test|hack|testdata|_artifacts|docs|third_party|docker|eks|rosa|tree)(\/|$)/;

const sourcesIn = (directory: string, folder = ''): string[] =>
  readdirSync(join(directory, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (skipped.test(name)) return [];
    if (entry.isDirectory()) return sourcesIn(directory, name);
    return name.endsWith('.go') && !name.endsWith('_test.go') && !entry.name.startsWith('zz_') ? [name] : [];
  });

interface Declared {
  name: string;
  expression: string;
}
const constant =
  /^\s*(?:const )?([A-Za-z]\w*)(?: +[\w.]+)? += ((?:"[^"]*"|[A-Za-z][\w.]*)(?: \+ (?:"[^"]*"|[A-Za-z][\w.]*))*)\s*(?:\/\/.*)?$/gm;

const declaredIn = (text: string): Declared[] =>
  [...text.matchAll(constant)].map(([, name, expression]) => ({ name: name!, expression: expression! }));

/** The value of an expression of texts and constants; undefined if it has another part. */
const textOf = (expression: string, constants: ReadonlyMap<string, string>, depth = 0): string | undefined => {
  const parts = expression.split(' + ').map((part) => {
    if (part.startsWith('"')) return part.slice(1, -1);
    const next = constants.get(part.split('.').at(-1)!);
    return next === undefined || depth > 4 ? undefined : textOf(next, constants, depth + 1);
  });
  return parts.includes(undefined) ? undefined : parts.join('');
};

/** Of Cluster API's own groups; Kubernetes' keys concern the objects of workload clusters. */
const isKey = (value: string): boolean =>
  /^([a-z0-9-]+\.)*(clusters?\.x-k8s\.io|sigs\.k8s\.io)(\/[a-z0-9./-]+)?$/i.test(value);
const isKeyName = (name: string): boolean => /(Annotation|Label)/.test(name);

const keysOf = (directory: string): Record<string, string> => {
  const all = sourcesIn(directory).flatMap((file) => declaredIn(readFileSync(join(directory, file), 'utf8')));
  const constants = new Map(all.map(({ name, expression }) => [name, expression]));
  const keys = all.flatMap(({ name, expression }) => {
    const value = isKeyName(name) ? textOf(expression, constants) : undefined;
    return value !== undefined && isKey(value) ? [[value, name] as const] : [];
  });
  return Object.fromEntries(keys.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** By module, each key with the constant that declares it. */
export const upstreamKeys = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'upstream-'));
  try {
    writeFileSync(join(directory, 'go.mod'), 'module upstream\n\ngo 1.24.0\n');
    const table = Object.entries(modules).map(([module, version]) => {
      const { Dir } = JSON.parse(go(directory, 'mod', 'download', '-json', `${module}@${version}`)) as { Dir: string };
      return [`${module} ${version}`, keysOf(Dir)];
    });
    return `${JSON.stringify(Object.fromEntries(table), null, 2)}\n`;
  } finally {
    rmSync(directory, { recursive: true });
  }
};

if (import.meta.main) writeFileSync(path, upstreamKeys());
