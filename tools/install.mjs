// Runs before every npm script, with whatever Node started npm: installs exactly what package-lock.json names, once.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openProgress } from './progress.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installed = join(root, 'node_modules', '.package-lock.json');
const wanted = join(root, 'package-lock.json');

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
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
    process.exitCode = code ?? 1;
  });
}
