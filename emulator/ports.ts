/** The ports of an emulator, stable across starts, because deployments contain addresses. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './server.ts';

const parts = ['aws', 'compute', 'sts', 'parameters', 'host', 'front', 'proxy'] as const;
export type Ports = Record<(typeof parts)[number], number>;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** Milliseconds that a killed emulator's servers get to save their state. */
const saving = 40_000;

const usedOf = async (ports: Ports): Promise<number | undefined> => {
  for (const port of Object.values(ports)) if (!(await isFree(port))) return port;
  return undefined;
};

const fileOf = (folder: string): string => join(folder, 'ports.json');

const isTaken = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ||
  /EADDRINUSE|address already in use/i.test((error as Error).message);

const mostStarts = 5;

/**
 * Runs `start`, which asks for ports. Its servers bind them seconds later, and another program may
 * have taken one: then a folder that has no deployment yet gets other ports. A deployment contains the
 * addresses of the first start, so a folder that has ports keeps them.
 */
export const withPorts = async <T>(folder: string, start: () => Promise<T>): Promise<T> => {
  const isNew = !existsSync(fileOf(folder));
  for (let starts = 1; ; starts++) {
    try {
      return await start();
    } catch (error) {
      if (!isTaken(error)) throw error;
      if (isNew && starts < mostStarts) await rm(fileOf(folder), { force: true });
      else
        throw new Error(
          `${(error as Error).message}: end the program that uses the port, choose another with --port if kubectl's is meant, or start with another --folder`,
          { cause: error },
        );
    }
  }
};

/** Rejects when a port stays in use for longer than an emulator needs to stop. */
export const portsOf = async (
  folder: string,
  say: (line: string) => void = () => undefined,
  timeout = saving,
): Promise<Ports> => {
  const file = fileOf(folder);
  if (existsSync(file)) {
    const ports = JSON.parse(await readFile(file, 'utf8')) as Ports;
    const until = Date.now() + timeout;
    let used = await usedOf(ports);
    if (used !== undefined)
      say(`Waiting until port ${used} is free: an emulator that was killed may be saving its state`);
    for (; used !== undefined; used = await usedOf(ports)) {
      if (Date.now() > until)
        throw new Error(
          `port ${used} is in use: another emulator runs on ${folder}, or another program uses a port of the deployment in it. ` +
            'End that program, or start with another --folder',
        );
      await delay(500);
    }
    return ports;
  }
  const ports = Object.fromEntries(await Promise.all(parts.map(async (part) => [part, await freePort()]))) as Ports;
  await writeFile(file, JSON.stringify(ports));
  return ports;
};
