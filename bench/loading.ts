/**
 * `npm run bench:loading`: the cost of loading each function, relative to a module with only its AWS clients
 * (the floor), bundled whole and split. Measures CPU, which other work on the machine affects less than
 * elapsed time; the minimum of several runs in turns.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, functions } from '../tools/bundle.mjs';
import { compare, floorOf } from './start.ts';

const runs = 15;
const out = mkdtempSync(join(tmpdir(), 'capstan-loading-'));

try {
  const made = await bundle(out);
  for (const name of Object.keys(functions)) {
    const ratios = [];
    for (const how of ['whole', 'split'] as const) {
      const file = await floorOf(made[name]!, join(out, `${name}-${how}`), how);
      const { least, floor } = compare(join(out, name, 'index.mjs'), file, runs);
      ratios.push(
        `${(least / floor).toFixed(2)} times (${least.toFixed(0)} ms of ${floor.toFixed(0)}) its floor ${how}`,
      );
    }
    console.log(`${name.padEnd(20)} ${ratios.join(', ')}`);
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
