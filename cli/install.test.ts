/** Installs into a folder of its own, with a program in place of npm. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const tools = join(import.meta.dirname, '../tools');
// Reports a run that meets another one.
const npm = `#!/bin/sh
mkdir busy || echo overlap >> log
echo run >> log
sleep 0.2
mkdir -p node_modules
touch node_modules/.package-lock.json
rmdir busy
`;

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-install-test-')));
  for (const name of ['tools', 'bin']) mkdirSync(join(root, name));
  for (const name of ['install.mjs', 'progress.mjs']) copyFileSync(join(tools, name), join(root, 'tools', name));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'bin/npm'), npm);
  chmodSync(join(root, 'bin/npm'), 0o755);
});
afterEach(() => rmSync(root, { recursive: true }));

const install = () =>
  new Promise<number | null>((resolve) => {
    const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env.PATH}`, TMPDIR: root };
    spawn(process.execPath, [join(root, 'tools/install.mjs')], { env, stdio: 'ignore' }).on('close', resolve);
  });
const log = () => readFileSync(join(root, 'log'), 'utf8').trim().split('\n');

it('dependencies are installed once by processes that start at once', async () => {
  expect(await Promise.all([install(), install(), install()])).toEqual([0, 0, 0]);
  expect(log()).toEqual(['run']);
  expect(existsSync(join(root, 'busy'))).toBe(false);
});

const [here, elsewhere] = [
  { optional: true, os: [process.platform], cpu: [process.arch] },
  { optional: true, os: ['plan9'] },
];
const one = { version: '1.0.0', integrity: 'sha512-a' };
it.each<{ rule: string; installed: object; runs: boolean }>([
  { rule: 'those of the lock file', installed: { one, here }, runs: false },
  { rule: 'of another version', installed: { one: { ...one, version: '2.0.0' }, here }, runs: true },
  { rule: 'of other content', installed: { one: { ...one, integrity: 'sha512-b' }, here }, runs: true },
  { rule: 'incomplete', installed: { here }, runs: true },
  { rule: 'those of another platform', installed: { one, elsewhere }, runs: true },
  { rule: 'more than those of the lock file', installed: { one, here, two: one }, runs: true },
])('packages older than the lock file are installed again when they are $rule: $runs', async ({ installed, runs }) => {
  mkdirSync(join(root, 'node_modules'));
  const record = join(root, 'node_modules/.package-lock.json');
  writeFileSync(record, JSON.stringify({ packages: installed }));
  utimesSync(record, 0, 0);
  writeFileSync(
    join(root, 'package-lock.json'),
    JSON.stringify({ packages: { '': {}, one, here, elsewhere, part: { optional: true } } }),
  );
  expect(await install()).toBe(0);
  expect(existsSync(join(root, 'log'))).toBe(runs);
});
