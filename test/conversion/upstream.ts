/** Upstream's own conversions to the hub versions, built from the Go module proxy. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../machinery/api/object.ts';
import { go } from '../go.ts';

const versions = { 'sigs.k8s.io/cluster-api': 'v1.11.1', 'sigs.k8s.io/cluster-api-provider-aws/v2': 'v2.11.1' };

/** Built once; takes minutes. The module's name permits it to import what Cluster API keeps internal: v1alpha3 and v1alpha4. */
export const program = (): string => {
  const directory = join(tmpdir(), 'capstan-conversion', Object.values(versions).join('-'));
  const binary = join(directory, 'convert');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  const requirements = Object.entries(versions).map(([module, version]) => `require ${module} ${version}`);
  writeFileSync(
    join(directory, 'go.mod'),
    ['module sigs.k8s.io/cluster-api/conversions', 'go 1.26.0', ...requirements, ''].join('\n'),
  );
  copyFileSync(join(import.meta.dirname, 'convert.go'), join(directory, 'convert.go'));
  // Built under another name: an interrupted build must not look like a finished one.
  go(directory, 'build', '-o', `${binary}.new`, '.');
  renameSync(`${binary}.new`, binary);
  return binary;
};

/** In the order of the objects. */
export const upstream = (objects: readonly object[]): (KubeObject & { error?: string })[] =>
  execFileSync(program(), {
    input: objects.map((one) => `${JSON.stringify(one)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
