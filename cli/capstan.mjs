#!/usr/bin/env node
// The `capstan` bin: installs what is missing, then runs the CLI on the Node that package-lock.json pins.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const install = spawnSync(process.execPath, [join(root, 'tools', 'install.mjs')], { stdio: 'inherit' });
if (install.status !== 0) process.exit(install.status ?? 1);
const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const run = spawnSync(node, [join(root, 'cli', 'main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(run.status ?? 1);
