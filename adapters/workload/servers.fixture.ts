/** Test servers: an API server that forwards ports, and a proxy. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Connection, EtcdConnection } from '../../kinds/ports/transport.ts';
import { type Service, serve } from '../node/index.ts';
import { createAuthority, issue } from '../pki/index.ts';

const now = Date.now();
const authorityOf = (commonName: string) =>
  createAuthority({ subject: { commonName }, days: 2, algorithm: 'ECDSA-P256', now });
export const ca = authorityOf('kubernetes');
export const etcdCa = authorityOf('etcd-ca');

export const certify = (authority: typeof ca, name: string, usage: 'server' | 'client', sans: string[] = []) =>
  issue({
    subject: { commonName: name },
    ...(sans.length > 0 && { sans }),
    usages: [usage],
    ca: authority,
    days: 1,
    now,
    algorithm: 'ECDSA-P256',
  });

const serving = certify(ca, 'kube-apiserver', 'server', ['127.0.0.1', 'api.example.com']);
const client = certify(ca, 'admin', 'client');
export const connectionTo = (port: number, host = '127.0.0.1'): Connection => ({
  server: `https://${host}:${port}`,
  caCertificate: ca.certificate,
  clientCertificate: client.certificate,
  clientKey: client.key,
});

const etcdServing = certify(etcdCa, 'node-a', 'server', ['node-a', 'localhost']);
const etcdClient = certify(etcdCa, 'capstan', 'client');
export const etcdAt = (connection: Connection, node = 'node-a'): EtcdConnection => ({
  connection,
  node,
  caCertificate: etcdCa.certificate,
  clientCertificate: etcdClient.certificate,
  clientKey: etcdClient.key,
});

/** The service behind a forwarded port: etcd with its gRPC gateway. */
export const etcdService = (gateway: (request: Request) => Promise<Response>, identity = etcdServing): Service => ({
  identity: () => ({ ...identity, clientAuthorities: etcdCa.certificate }),
  fetch: (request, { clientCertificate }) => (clientCertificate ? gateway(request) : Promise.resolve(Response.error())),
});

export interface Closing {
  port: number;
  close(): Promise<void>;
}

export const startApi = (service: Partial<Service>): Promise<Closing> =>
  serve({
    port: 0,
    identity: () => ({ ...serving, clientAuthorities: ca.certificate }),
    fetch: async () => Response.json({}),
    ...service,
  });

/** A relay between client and server that counts connections and simulates network failures. */
export const startRelay = async (
  to: number,
): Promise<Closing & { made: () => number; open: () => number; cut(): void }> => {
  const sockets = new Set<Socket>();
  let made = 0;
  const server = createTcpServer((socket) => {
    made++;
    sockets.add(socket);
    const beyond = connect(to, '127.0.0.1');
    socket.pipe(beyond).pipe(socket);
    for (const end of [socket, beyond]) end.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      beyond.destroy();
    });
    beyond.on('close', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    made: () => made,
    open: () => sockets.size,
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const listenAndHang = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** A port whose queue of connections is full, so that the kernel drops further ones, as it does for a host that is gone. */
export const startDeaf = async (): Promise<Closing> => {
  const worker = new Worker(listenAndHang, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await once(waiting[0]!, 'connect');
  return {
    port,
    close: async () => {
      for (const socket of waiting) socket.destroy();
      await worker.terminate();
    },
  };
};

/** An HTTP proxy that resolves every name to 127.0.0.1 and records its targets. */
export const startProxy = async (
  allows: (target: string) => boolean = () => true,
): Promise<Closing & { asked: string[] }> => {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const target = request.url ?? '';
    asked.push(target);
    if (!allows(target)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const beyond = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      beyond.write(head);
      socket.pipe(beyond).pipe(socket);
    });
    for (const end of [socket, beyond]) end.on('error', () => undefined);
    socket.on('close', () => beyond.destroy());
    beyond.on('close', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
