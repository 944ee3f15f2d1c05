import { existsSync, mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { portsOf } from './ports.ts';
import { emptied } from './reset.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reset-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('deletes only what an emulator left behind', async () => {
  await emptied(join(folder, 'absent'));
  await emptied(folder);
  await writeFile(join(folder, 'thesis.txt'), '');
  await expect(emptied(folder)).rejects.toThrow('no folder of an emulator');
  expect(existsSync(join(folder, 'thesis.txt'))).toBe(true);
  await portsOf(folder);
  await emptied(folder);
  expect(existsSync(folder)).toBe(false);
});

it('waits for an emulator that is stopping, and refuses a port that stays in use', async () => {
  const { front } = await portsOf(folder);
  const server = createServer().listen(front, '127.0.0.1');
  const output: string[] = [];
  await expect(portsOf(folder, (line) => output.push(line), 100)).rejects.toThrow(`port ${front} is in use`);
  expect(output).toHaveLength(1);
  setTimeout(() => server.close(), 300);
  expect((await portsOf(folder, undefined, 5_000)).front).toBe(front);
});
