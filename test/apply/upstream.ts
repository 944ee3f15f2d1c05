/** Kubernetes' own field managers, built from the Go module proxy. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go } from '../go.ts';
import type { Case, Result } from './sequence.ts';

const version = 'v0.37.2';
const modules = ['apiextensions-apiserver', 'apimachinery', 'apiserver'];
const source = join(import.meta.dirname, 'apply.go');

/** Built once for each version of the source; takes minutes the first time. */
export const program = (): string => {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const directory = join(tmpdir(), 'capstan-apply', `${version}-${hash}`);
  const binary = join(directory, 'apply');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  const requirements = modules.map((module) => `require k8s.io/${module} ${version}`);
  writeFileSync(join(directory, 'go.mod'), ['module apply', 'go 1.26.0', ...requirements, ''].join('\n'));
  copyFileSync(source, join(directory, 'apply.go'));
  go(directory, 'mod', 'tidy');
  // Built under another name: an interrupted build must not look like a finished one.
  go(directory, 'build', '-o', `${binary}.new`, '.');
  renameSync(`${binary}.new`, binary);
  return binary;
};

const answers = <T>(lines: readonly unknown[]): T[] =>
  execFileSync(program(), {
    input: lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** The results of the steps of each case. */
export const upstream = (cases: readonly Case[]): Result[][] => answers(cases);

/** FieldsV1, read and written again, and the paths in it. */
export const upstreamFields = (texts: readonly string[]): { entries?: [string, string]; error?: string }[] =>
  answers(texts.map((fields) => ({ fields })));
