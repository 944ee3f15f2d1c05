/** Listeners on real sockets of 127.0.0.1: the network of the simulated workload clusters. */
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import type { Log } from '../../machinery/ports.ts';
import { type Listener, type Service, serve } from './serve.ts';

export interface NodeNetwork {
  /** Idempotent. If another process holds the port, retries until it is free or closed. */
  listen(port: number, service: Service): void;
  close(port: number): void;
  /** A free port, which no other process gets until it is listened on or closed. */
  reserve(): number;
  /** Resolves when each port is open or cannot be opened; with those that another process holds. */
  busy(): Promise<number[]>;
  /** Closes everything. */
  end(): Promise<void>;
}

/** Binding is asynchronous in Node, so a child process finds a port synchronously. */
const findPort =
  "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{process.stdout.write(String(s.address().port));s.close()})";

const retryAfter = 500;
/** Attempts after which a port counts as held by another process: one that ends frees its ports. */
const attempts = 4;

const notForwarded = (): Response => new Response('no ports are forwarded here', { status: 404 });

interface Open {
  service: Service;
  listener?: Listener;
  retry?: NodeJS.Timeout;
  /** Resolves when it is open, or counts as held by another process. */
  judged: PromiseWithResolvers<void>;
}

export const nodeNetwork = (log?: Log): NodeNetwork => {
  const open = new Map<number, Open>();
  const reserved = new Map<number, Promise<Server | undefined>>();

  const hold = (port: number): void => {
    const server = createServer((socket) => socket.destroy()).unref();
    const held = new Promise<Server | undefined>((resolve) => {
      // Listening on a port that was taken at once reports it.
      server.once('error', () => resolve(undefined)).listen(port, '127.0.0.1', () => resolve(server));
    });
    reserved.set(port, held);
  };
  const release = async (port: number): Promise<void> => {
    const server = await reserved.get(port);
    reserved.delete(port);
    if (server?.listening) await new Promise((resolve) => server.close(resolve));
  };

  const start = async (port: number, attempt = 1): Promise<void> => {
    const entry = open.get(port);
    if (!entry) return;
    try {
      await release(port);
      // Looks up the service for each connection, because a port may be reassigned.
      const listener = await serve({
        port,
        identity: () => open.get(port)?.service.identity(),
        fetch: (request, peer) => entry.service.fetch(request, peer),
        forward: async (request, peer) => (await entry.service.forward?.(request, peer)) ?? notForwarded(),
        onError: (error) => log?.error('A connection failed', { port, error }),
      });
      if (open.get(port) === entry) entry.listener = listener;
      else await listener.close();
    } catch (error) {
      if (attempt === 1) log?.error('Cannot listen', { port, error: (error as Error).message });
      if (open.get(port) === entry) entry.retry = setTimeout(() => void start(port, attempt + 1), retryAfter);
      if (attempt >= attempts) entry.judged.resolve();
      return;
    }
    entry.judged.resolve();
  };
  const stop = async (port: number): Promise<void> => {
    const entry = open.get(port);
    open.delete(port);
    clearTimeout(entry?.retry);
    entry?.judged.resolve();
    await release(port);
    await entry?.listener?.close();
  };

  return {
    listen: (port, service) => {
      const entry = open.get(port);
      if (entry) {
        entry.service = service;
        return;
      }
      open.set(port, { service, judged: Promise.withResolvers() });
      void start(port);
    },
    close: (port) => void stop(port),
    reserve: () => {
      for (;;) {
        const port = Number(execFileSync(process.execPath, ['-e', findPort], { encoding: 'utf8' }));
        if (open.has(port) || reserved.has(port)) continue;
        hold(port);
        return port;
      }
    },
    busy: async () => {
      await Promise.all([...open.values()].map(({ judged }) => judged.promise));
      return [...open].flatMap(([port, { listener }]) => (listener ? [] : [port]));
    },
    end: async () => {
      await Promise.all([...open.keys(), ...reserved.keys()].map(stop));
    },
  };
};
