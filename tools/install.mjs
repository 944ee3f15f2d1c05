// Runs before every npm script, with whatever Node started npm: installs exactly what package-lock.json names, once.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openProgress } from './progress.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installed = join(root, 'node_modules', '.package-lock.json');
const wanted = join(root, 'package-lock.json');

const isInstalled = () => existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;

const lock = join(tmpdir(), `capstan-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);

/** The process that installs may have been killed. */
const isHeld = () => {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** npm ci deletes node_modules first, also that of another npm ci. */
const acquire = async () => {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isHeld()) await delay(200);
    else rmSync(lock, { force: true });
  }
};

const install = () =>
  new Promise((resolve) => {
    const progress = openProgress(process.stderr);
    progress.step('Installing dependencies (npm ci)');
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const run = spawn(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const say = (chunk) => String(chunk).trimEnd().split('\n').forEach(progress.line);
    run.stdout.on('data', say);
    run.stderr.on('data', say);
    run.on('error', (error) => say(`npm cannot be run: ${error.message}`));
    run.on('close', (code) => {
      if (code === 0) progress.done();
      else progress.failed();
      resolve(code ?? 1);
    });
  });

if (!isInstalled()) {
  await acquire();
  try {
    // Another process may have installed meanwhile.
    if (!isInstalled()) process.exitCode = await install();
  } finally {
    rmSync(lock, { force: true });
  }
}
