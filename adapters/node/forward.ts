/** The server side of a forwarded port, as a kubelet behind an API server. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ForwardedPort, longestMessage, protocol } from '../workload/forwarded-port.ts';

const sockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: longestMessage,
  handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
});

/** Rejects an upgrade and closes its connection. */
export const refuseUpgrade = async (socket: Duplex, response: Response): Promise<void> => {
  if (response.type === 'error') {
    socket.destroy();
    return;
  }
  const body = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type') ?? 'application/json';
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Connects the upgraded connection to `service`; without a service it ends with the reason. */
export const acceptForward = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  service: { identity(): unknown },
  connect: (port: Duplex) => void,
): void => {
  const port = Number(new URL(incoming.url ?? '/', 'https://localhost').searchParams.get('ports'));
  sockets.handleUpgrade(incoming, socket, head, (upgraded) => {
    const forwarded = new ForwardedPort(upgraded, { greets: { self: port } });
    if (service.identity()) connect(forwarded);
    else forwarded.refuse(`error forwarding port ${port}: dial tcp4 127.0.0.1:${port}: connect: connection refused`);
  });
};
