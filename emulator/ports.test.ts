import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { portsOf, withPorts } from './ports.ts';

let folder: string;
let taken: Server[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ports-'));
  taken = [];
});
afterEach(() => {
  for (const server of taken) server.close();
  rmSync(folder, { recursive: true });
});

const bind = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  taken.push(server);
};
/** Binds the port as a server of the emulator would, after another program may have. */
const starting = (before: (port: number, start: number) => Promise<void>) => {
  const seen: number[] = [];
  const start = async () => {
    const { host } = await portsOf(folder, undefined, 100);
    seen.push(host);
    await before(host, seen.length);
    await bind(host);
    return host;
  };
  return { seen, start };
};

it('a new folder gets other ports if one was taken before it was bound', async () => {
  const { seen, start } = starting(async (port, times) => {
    if (times === 1) await bind(port);
  });
  const port = await withPorts(folder, start);
  expect(seen).toHaveLength(2);
  expect(port).toBe(seen[1]);
  expect(seen[0]).not.toBe(seen[1]);
});

it('a folder that has ports keeps them, and the error names the options', async () => {
  const { host } = await portsOf(folder);
  const { seen, start } = starting((port) => bind(port));
  await expect(withPorts(folder, start)).rejects.toThrow(/EADDRINUSE.*choose another with --port .* another --folder/);
  expect(seen).toEqual([host]);
});

it('gives up a folder for which every port is taken', async () => {
  const { seen, start } = starting((port) => bind(port));
  await expect(withPorts(folder, start)).rejects.toThrow('EADDRINUSE');
  expect(seen).toHaveLength(5);
});

it('leaves other errors alone', async () => {
  const broken = withPorts(folder, () => Promise.reject(new Error('no Python')));
  await expect(broken).rejects.toThrow(/^no Python$/);
});
