/** Cluster API's own computation of a topology's objects, built from the Go module proxy. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go } from '../go.ts';
import { type Case, type Judged, lineOf } from './case.ts';

export const version = 'v1.14.2';
const module = 'sigs.k8s.io/cluster-api';
const source = join(import.meta.dirname, 'judge.go');

/** Built once for each version of the source; takes minutes the first time. */
export const program = (): string => {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const directory = join(tmpdir(), 'capstan-topology', `${version}-${hash}`);
  const binary = join(directory, 'judge');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  // The module requires its API by the place beside it in their repository.
  const lines = [
    'module judge',
    'go 1.26.0',
    `require ${module} ${version}`,
    `require ${module}/api ${version}`,
    `replace ${module}/api => ${module}/api ${version}`,
    '',
  ];
  writeFileSync(join(directory, 'go.mod'), lines.join('\n'));
  copyFileSync(source, join(directory, 'judge.go'));
  go(directory, 'mod', 'tidy');
  // Built under another name: an interrupted build must not look like a finished one.
  go(directory, 'build', '-o', `${binary}.new`, '.');
  renameSync(`${binary}.new`, binary);
  return binary;
};

/** The folder of a module's files. */
export const moduleFolder = (path: string, at: string): string =>
  (JSON.parse(go(tmpdir(), 'mod', 'download', '-json', `${path}@${at}`)) as { Dir: string }).Dir;

export const upstream = (cases: readonly Case[]): Judged[] =>
  execFileSync(program(), {
    input: cases.map((one) => `${JSON.stringify(lineOf(one))}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Judged);
