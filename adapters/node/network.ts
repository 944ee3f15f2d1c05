/** Listeners on real sockets of 127.0.0.1: the network of the simulated workload clusters. */
import { execFileSync } from 'node:child_process';
import type { Log } from '../../machinery/ports.ts';
import { type Listener, type Service, serve } from './serve.ts';

export interface NodeNetwork {
  /** Idempotent. If another process holds the port, retries until it is free or closed. */
  listen(port: number, service: Service): void;
  close(port: number): void;
  /** A free port. */
  reserve(): number;
  /** Closes everything. */
  end(): Promise<void>;
}

/** Binding is asynchronous in Node, so a child process finds a port synchronously. */
const findPort =
  "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{process.stdout.write(String(s.address().port));s.close()})";

const retryAfter = 500;

const notForwarded = (): Response => new Response('no ports are forwarded here', { status: 404 });

export const nodeNetwork = (log?: Log): NodeNetwork => {
  const open = new Map<number, { service: Service; listener?: Listener; retry?: NodeJS.Timeout }>();
  const reserved = new Set<number>();

  const start = async (port: number, isFirst = true): Promise<void> => {
    const entry = open.get(port);
    if (!entry) return;
    try {
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
      if (isFirst) log?.error('Cannot listen', { port, error: (error as Error).message });
      entry.retry = setTimeout(() => void start(port, false), retryAfter);
    }
  };
  const stop = async (port: number): Promise<void> => {
    const entry = open.get(port);
    open.delete(port);
    clearTimeout(entry?.retry);
    await entry?.listener?.close();
  };

  return {
    listen: (port, service) => {
      const entry = open.get(port);
      if (entry) {
        entry.service = service;
        return;
      }
      open.set(port, { service });
      void start(port);
    },
    close: (port) => void stop(port),
    reserve: () => {
      for (;;) {
        const port = Number(execFileSync(process.execPath, ['-e', findPort], { encoding: 'utf8' }));
        if (open.has(port) || reserved.has(port)) continue;
        reserved.add(port);
        return port;
      }
    },
    end: async () => {
      await Promise.all([...open.keys()].map(stop));
    },
  };
};
