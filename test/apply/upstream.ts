/** Kubernetes' own field managers, built from the Go module proxy. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { programOf } from '../go.ts';
import type { Case, Result } from './sequence.ts';

const version = 'v0.37.2';
const modules = ['apiextensions-apiserver', 'apimachinery', 'apiserver'];

export const program = (): string =>
  programOf(
    join(import.meta.dirname, 'apply.go'),
    Object.fromEntries(modules.map((module) => [`k8s.io/${module}`, version])),
  );

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
