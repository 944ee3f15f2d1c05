import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'capstan-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

it('removes its temporary installation when it is interrupted', { timeout: 60_000 }, async () => {
  const env = { ...process.env, TMPDIR: temporary };
  const run = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'start', '--once'], {
    env,
    stdio: 'pipe',
  });
  let output = '';
  run.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  while (!output.includes('Applied')) await once(run.stdout, 'data');
  run.kill('SIGINT');
  const [code] = await once(run, 'close');
  expect(code).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
});
