import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type NodeNetwork, nodeNetwork } from './network.ts';

const service = { identity: () => undefined, fetch: async () => Response.error() };
const networks: NodeNetwork[] = [];
const open = (): NodeNetwork => {
  const network = nodeNetwork();
  networks.push(network);
  return network;
};
afterEach(async () => {
  for (const network of networks.splice(0)) await network.end();
});

/** Another process, as far as the port is concerned. */
const taken = async (port = 0) => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, free: () => new Promise((done) => server.close(done)) };
};

describe('a network of 127.0.0.1', () => {
  it('lets no other process have a port between its choice and its use', async () => {
    const network = open();
    const port = network.reserve();
    await expect.poll(() => taken(port).catch((error: NodeJS.ErrnoException) => error.code)).toBe('EADDRINUSE');
    network.listen(port, service);
    expect(await network.busy()).toEqual([]);
  });

  it('frees a port that is not used', async () => {
    const network = open();
    const port = network.reserve();
    network.close(port);
    const other = await vi.waitFor(() => taken(port));
    await other.free();
  });

  it('names the ports that another process holds, and takes them when they are free', async () => {
    const network = open();
    const other = await taken();
    const port = network.reserve();
    network.listen(port, service);
    network.listen(other.port, service);
    expect(await network.busy()).toEqual([other.port]);
    await other.free();
    await expect.poll(() => network.busy(), { timeout: 5000 }).toEqual([]);
  });
});
