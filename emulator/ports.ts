/** The ports of an emulator, the same with each start: addresses are written into what is deployed. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
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

/** Rejects if another process has taken one of them. */
export const portsOf = async (folder: string): Promise<Ports> => {
  const file = join(folder, 'ports.json');
  if (existsSync(file)) {
    const ports = JSON.parse(await readFile(file, 'utf8')) as Ports;
    for (const port of Object.values(ports))
      if (!(await isFree(port)))
        throw new Error(
          `port ${port} is in use: another emulator runs on ${folder}, or another program has taken what the deployment in it was given. ` +
            'End that one, or begin anew with another --folder',
        );
    return ports;
  }
  const ports = Object.fromEntries(await Promise.all(parts.map(async (part) => [part, await freePort()]))) as Ports;
  await writeFile(file, JSON.stringify(ports));
  return ports;
};
