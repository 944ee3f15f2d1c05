/** A connection to a pod's port through the API server. */
import type { Agent, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import WebSocket from 'ws';
import type { Connection } from '../../kinds/ports/transport.ts';
import { invalidKubeconfig } from '../../kinds/ports/workload.ts';
import { failureOf, proxyGrace, timeoutError } from './exchange.ts';
import { ForwardedPort, longestMessage, protocol } from './forwarded-port.ts';
import { refusalOf } from './refusal.ts';
import { tlsOf } from './tls.ts';

export interface PodPort {
  namespace: string;
  pod: string;
  port: number;
}

const longestRefusal = 64 * 1024;

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of incoming) {
    text += chunk;
    if (text.length > longestRefusal) break;
  }
  return text;
};

/** Resolves after the upgrade; the stream reports whether the port is open. */
export const forwardPort = (
  connection: Connection,
  { namespace, pod, port }: PodPort,
  { agent, timeout }: { agent: Agent; timeout: number },
): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`;
    const url = new URL(`${connection.server}${path}?ports=${port}`);
    let socket: WebSocket;
    try {
      socket = new WebSocket(url, [protocol], {
        ...tlsOf(connection),
        agent,
        handshakeTimeout: timeout + proxyGrace,
        perMessageDeflate: false,
        maxPayload: longestMessage,
        skipUTF8Validation: true,
        ...(connection.token && { headers: { Authorization: `Bearer ${connection.token}` } }),
      });
    } catch (error) {
      // Node validates certificates and keys when it connects.
      reject(invalidKubeconfig((error as Error).message, { cause: error }));
      return;
    }
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(failureOf(error, url.host, timeout));
      socket.terminate();
    };
    const timer = setTimeout(() => fail(timeoutError()), timeout);
    socket.on('error', fail);
    socket.on('unexpected-response', (_, incoming) => {
      textOf(incoming).then((text) => fail(refusalOf(incoming.statusCode ?? 0, text)), fail);
    });
    socket.on('open', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(new ForwardedPort(socket, { greets: 'peer' }));
    });
  });
