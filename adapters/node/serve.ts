/** HTTPS on 127.0.0.1 for a fetch function. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { acceptForward, refuseUpgrade } from './forward.ts';
import { sendResponse, toRequest } from './responses.ts';

export interface Identity {
  /** PEM. */
  certificate: string;
  key: string;
  /** PEM; clients may authenticate with a certificate of these CAs. */
  clientAuthorities?: string;
}

export interface Peer {
  /** The address of the other end of the connection. */
  address?: string;
  /** PEM of the client's certificate, verified against `clientAuthorities`. */
  clientCertificate?: string;
}

export interface Service {
  /** The certificate for a new connection; undefined resets it. */
  identity(): Identity | undefined;
  /** `Response.error()` ends the connection. */
  fetch(request: Request, peer: Peer): Promise<Response>;
  /** The service behind a forwarded port, or a rejection; absent = no port forwarding. */
  forward?(request: Request, peer: Peer): Promise<Service | Response>;
}

export interface ServeOptions extends Service {
  /** 0 = any free one. */
  port: number;
  host?: string;
  /** Connections from one address; further ones are closed. Absent = unlimited. */
  connectionsPerAddress?: number;
  /** Errors of connections whose clients had not disconnected. */
  onError?: (error: unknown) => void;
}

export interface Listener {
  port: number;
  /** Closes all connections; resolves when the port is free. */
  close(): Promise<void>;
}

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;

/** An IPv4 address, also where the server listens on IPv6. */
const addressOf = ({ remoteAddress }: Socket): string | undefined => remoteAddress?.replace(/^::ffff:/, '');

const peerOf = (socket: TLSSocket): Peer => {
  const address = addressOf(socket);
  const raw = socket.authorized ? socket.getPeerCertificate().raw : undefined;
  return { ...(address !== undefined && { address }), ...(raw && { clientCertificate: pem(raw) }) };
};

const isWatch = ({ url = '' }: IncomingMessage): boolean => {
  const query = url.indexOf('?');
  if (query < 0) return false;
  const watch = new URLSearchParams(url.slice(query)).get('watch');
  return watch !== null && watch !== 'false' && watch !== '0';
};

interface Guarded extends Service {
  onError?: (error: unknown) => void;
}

const handler =
  (options: Guarded, origin: string) =>
  async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const streaming = isWatch(incoming);
    // Only watches need the signal: creating one takes as long as a small request.
    const gone = streaming ? new AbortController() : undefined;
    outgoing.once('close', () => gone?.abort());
    try {
      const request = toRequest(incoming, origin, gone?.signal);
      const response = await options.fetch(request, peerOf(incoming.socket as TLSSocket));
      if (response.type === 'error') {
        outgoing.destroy();
        return;
      }
      await sendResponse(outgoing, request, response, streaming);
    } catch (error) {
      if (!outgoing.destroyed) options.onError?.(error);
      outgoing.destroy();
    }
  };

const tlsOptions = ({ certificate, key, clientAuthorities }: Identity) => ({
  cert: certificate,
  key,
  ...(clientAuthorities && { ca: clientAuthorities }),
});

/** New connections get the current certificate, even without SNI. */
const showIdentity = (server: Server, service: Service): ((socket: Duplex) => void) => {
  let shown: Identity | undefined;
  return (socket) => {
    const identity = service.identity();
    if (!identity) {
      if (socket instanceof Socket) socket.resetAndDestroy();
      else socket.destroy();
      return;
    }
    if (shown?.certificate === identity.certificate && shown.clientAuthorities === identity.clientAuthorities) return;
    shown = identity;
    server.setSecureContext(tlsOptions(identity));
  };
};

const serverOf = (service: Guarded, origin: string): Server => {
  const server = createServer({
    requestCert: true,
    // The API answers 401 for a missing certificate.
    rejectUnauthorized: false,
    keepAliveTimeout: 65_000,
    // TCP keepalive keeps idle watches open in middleboxes, and detects dead clients.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    ALPNProtocols: ['http/1.1'],
    SNICallback: (_name, done) => {
      const identity = service.identity();
      if (!identity) return done(new Error('no service listens here'));
      done(null, createSecureContext(tlsOptions(identity)));
    },
  });
  // Unlimited: the client determines the duration of a watch.
  server.requestTimeout = 0;
  server.on('request', handler(service, origin));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.prependListener('connection', showIdentity(server, service));
  if (service.forward) server.on('upgrade', forwarding(service, origin));
  return server;
};

/** Forwards a WebSocket for a pod's port to its service. */
const forwarding =
  (service: Guarded, origin: string) =>
  async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    socket.on('error', () => undefined);
    try {
      const request = toRequest(incoming, origin, gone.signal);
      const behind = await service.forward!(request, peerOf(incoming.socket as TLSSocket));
      if (behind instanceof Response) await refuseUpgrade(socket, behind);
      else acceptForward(incoming, socket, head, behind, (port) => serverOf(behind, origin).emit('connection', port));
    } catch (error) {
      if (!gone.signal.aborted) service.onError?.(error);
      socket.destroy();
    }
  };

/** Listens. Rejects with the socket's error, such as EADDRINUSE. */
export const serve = async (options: ServeOptions): Promise<Listener> => {
  const host = options.host ?? '127.0.0.1';
  const { connectionsPerAddress: most = Number.POSITIVE_INFINITY } = options;
  const sockets = new Set<Socket>();
  const open = new Map<string | undefined, number>();
  const server = serverOf(options, `https://${host}`);
  server.prependListener('connection', (socket: Socket) => {
    const address = addressOf(socket);
    const count = open.get(address) ?? 0;
    if (count >= most) return void socket.destroy();
    open.set(address, count + 1);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, () => {
      server.off('error', reject);
      // A failed accept, for example without file descriptors, must not end the server.
      server.on('error', (error) => options.onError?.(error));
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
