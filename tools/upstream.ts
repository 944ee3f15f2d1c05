/**
 * Tables of what Cluster API's AWS provider defaults, and of its fields that are pointers, from its own
 * Go code: `node tools/upstream.ts` writes them. The build takes minutes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go } from '../test/go.ts';

const module = 'sigs.k8s.io/cluster-api-provider-aws/v2';
const version = 'v2.11.1';
const root = join(import.meta.dirname, '..');
const sources = join(root, 'test/upstream');

interface Table {
  pointers: Record<string, string[]>;
  defaults: Record<string, Record<string, unknown>>;
  healthCheck: Record<string, unknown>;
  specs: unknown[];
}

const pointersText = (pointers: Table['pointers']): string => {
  const lists = Object.entries(pointers).map(
    ([kind, paths]) => `  ${kind}: [\n${paths.map((path) => `    '${path}',\n`).join('')}  ],\n`,
  );
  return `// Written by \`npm run upstream\`.

/** Optional fields of the AWS provider's specs that are pointers in Go: their zero is a value. */
export const pointers = {
${lists.join('')}} as const;
`;
};

/** The generated files by their path. */
export const upstreamFiles = (): Record<string, string> => {
  const directory = mkdtempSync(join(tmpdir(), 'upstream-'));
  try {
    writeFileSync(join(directory, 'go.mod'), `module upstream\n\ngo 1.24.0\n\nrequire ${module} ${version}\n`);
    writeFileSync(join(directory, 'main.go'), readFileSync(join(sources, 'main.go')));
    const given = readFileSync(join(sources, 'given.json'), 'utf8');
    writeFileSync(join(directory, 'given.json'), given);
    const crds = join(go(directory, 'list', '-m', '-f', '{{.Dir}}', module).trim(), 'config/crd/bases');
    const { pointers, defaults, healthCheck, specs } = JSON.parse(go(directory, 'run', '.', crds)) as Table;
    const cases = (JSON.parse(given) as object[]).map((one, i) => ({ ...one, defaulted: specs[i] }));
    const table = { module: `${module} ${version}`, pointers, schema: defaults, healthCheck, cases };
    return {
      'kinds/infrastructure-aws/pointers.ts': pointersText(pointers),
      'test/upstream/aws-provider.json': `${JSON.stringify(table, null, 2)}\n`,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

if (import.meta.main) for (const [path, text] of Object.entries(upstreamFiles())) writeFileSync(join(root, path), text);
