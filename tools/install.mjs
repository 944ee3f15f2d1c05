// Runs before every npm script, with whatever Node started npm: installs exactly what package-lock.json names, once.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { openProgress } from './progress.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installed = join(root, 'node_modules', '.package-lock.json');
const wanted = join(root, 'package-lock.json');

const packagesOf = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
};

/** npm leaves out what is optional and for other platforms or C libraries, with what only that needs. */
const isForHere = ({ optional, os = [], cpu = [], libc }) =>
  !optional || (libc === undefined && os.includes(process.platform) && cpu.includes(process.arch));

/** Whether node_modules has the packages of the lock file, and no others. npm records there what it has installed. */
const isWhole = () => {
  const [has, wants] = [packagesOf(installed), packagesOf(wanted)];
  if (!has || !wants) return false;
  // The project itself has the empty name, and is not installed.
  const isMissing = (name) => name !== '' && !(name in has) && isForHere(wants[name]);
  return (
    !Object.keys(wants).some(isMissing) &&
    Object.entries(has).every(([name, one]) => isDeepStrictEqual(one, wants[name]))
  );
};

/** A checkout or a copy gives the lock file a later time than that of packages that are its own. */
const isInstalled = () =>
  existsSync(installed) && (statSync(installed).mtimeMs >= statSync(wanted).mtimeMs || isWhole());

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
