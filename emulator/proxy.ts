/** A proxy for clients of clusters: it resolves the names of load balancers, which no name server knows. */
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Names } from './host/messages.ts';
import { listenLocally } from './listen.ts';

export interface Proxy {
  url: string;
  close(): Promise<void>;
}

export interface ProxyOptions {
  names: () => Names;
  /** The console output of an instance; undefined for an unknown ID. */
  console: (instanceId: string) => string | undefined;
  /** The requests per function. */
  counts: () => object;
  /** 0 = any free one. */
  port: number;
}

export const startProxy = async ({ names, console, counts, port }: ProxyOptions): Promise<Proxy> => {
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const [, instanceId] = /^\/consoles\/(i-[0-9a-f]+)$/.exec(incoming.url ?? '') ?? [];
    const text = incoming.url === '/counts' ? JSON.stringify(counts(), null, 2) : instanceId && console(instanceId);
    outgoing.writeHead(text ? 200 : 404, { 'content-type': 'text/plain' });
    outgoing.end(text || 'There is /counts, /consoles/<instance id>, and whatever is asked for by CONNECT.\n');
  });
  server.on('connect', (request, client: Socket, head: Buffer) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    const to = names()[request.url ?? ''];
    if (to === undefined) {
      client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\nno load balancer of the emulator listens at ${request.url}\n`);
      return;
    }
    const upstream = connect(to, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
  });
  const { endpoint, close } = await listenLocally(server, port);
  return {
    url: endpoint,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
};
