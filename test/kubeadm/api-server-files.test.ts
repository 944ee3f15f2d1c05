/** The files of an API server, read by its own code. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileCases } from '../../kinds/components/files/cases.fixture.ts';
import { go } from '../go.ts';

const version = 'v0.35.0';

const readerOf = (): string => {
  const built = join(tmpdir(), 'capstan-kubeadm', `api-server-files-${version}`);
  const binary = join(built, 'reader');
  if (existsSync(binary)) return binary;
  mkdirSync(built, { recursive: true });
  copyFileSync(join(import.meta.dirname, 'api-server/main.go'), join(built, 'main.go'));
  writeFileSync(join(built, 'go.mod'), 'module capstan.dev/api-server-files\n');
  go(built, 'get', `k8s.io/apiserver@${version}`);
  go(built, 'mod', 'tidy');
  go(built, 'build', '-o', `${binary}.new`, '.');
  renameSync(`${binary}.new`, binary);
  return binary;
};

const directory = mkdtempSync(join(tmpdir(), 'capstan-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

const all = fileCases.flatMap(({ flag, reads, takes, refuses }) => [
  ...Object.entries(takes).map(([name, text]) => ({ flag, reads, name, text, isTaken: true })),
  ...Object.entries(refuses).map(([name, text]) => ({ flag, reads, name, text, isTaken: false })),
]);
let results: string[] = [];
beforeAll(() => {
  const args = all.flatMap(({ reads, text }, index) => {
    const file = join(directory, String(index));
    writeFileSync(file, text);
    return [reads, file];
  });
  results = execFileSync(readerOf(), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .trim()
    .split('\n');
});

describe.each(all.map((one, index) => ({ ...one, index })))('$flag', ({ name, isTaken, index }) =>
  it(`${isTaken ? 'takes' : 'refuses'} ${name}`, () => expect(results[index] === '"ok"').toBe(isTaken)));
