/** Kubernetes' own RBAC authorizer, built from the Go module proxy. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyObjects, PolicyRule } from '../../../machinery/api/rbac.ts';
import { go, kubernetesModule } from '../../go.ts';

const version = 'v1.37.2';
const source = join(import.meta.dirname, 'rbac.go');

export interface Question {
  user: string;
  groups: string[];
  verb: string;
  group?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  path?: string;
  isPath: boolean;
  /** Which of these would be an escalation? */
  rules: PolicyRule[];
}
export type Case = PolicyObjects & { questions: Question[] };
export interface Result {
  answers: { allowed: boolean; reason: string; held: PolicyRule[] | null; escalation: string }[];
  aggregated: Record<string, PolicyRule[]>;
}

/** Built once for each version of the source; takes minutes the first time. */
export const program = (): string => {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const directory = join(tmpdir(), 'capstan-rbac', `${version}-${hash}`);
  const binary = join(directory, 'rbac');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'go.mod'), kubernetesModule(directory, 'capstan.dev/rbac', version));
  copyFileSync(source, join(directory, 'rbac.go'));
  // Built under another name: an interrupted build must not look like a finished one.
  go(directory, 'build', '-o', `${binary}.new`, '.');
  renameSync(`${binary}.new`, binary);
  return binary;
};

export const upstream = (cases: readonly Case[]): Result[] =>
  execFileSync(program(), {
    input: cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
