/**
 * A connection to a port of a pod through the API server, in the WebSocket protocol that kubelets have spoken since 1.7:
 * each message begins with its channel, 0 for data and 1 for why it ended, and the first of each carries the port.
 */
import type { Agent, IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import WebSocket, { type RawData } from 'ws';
import type { Connection } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { failureOf } from './exchange.ts';
import { refusalOf } from './refusal.ts';
import { tlsOf } from './tls.ts';

export interface PodPort {
  namespace: string;
  pod: string;
  port: number;
}

const dataChannel = 0;
const errorChannel = 1;
const protocol = 'v4.channel.k8s.io';
/** Bytes of a message. Streaming servers copy 32 KB at a time. */
const longestMessage = 4 * 1024 * 1024;
const longestRefusal = 64 * 1024;

/** The data channel of an open port forward. It has no half-close: ending it ends both directions. */
class ForwardedPort extends Duplex {
  private readonly socket: WebSocket;
  private readonly named = new Set<number>();

  constructor(socket: WebSocket) {
    super({ allowHalfOpen: false });
    this.socket = socket;
    socket.on('message', (message) => this.receive(message));
    socket.on('close', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    // Whoever uses the stream hears of it from there.
    this.on('error', () => undefined);
  }

  private receive(raw: RawData): void {
    const message = raw as Buffer;
    const channel = message[0] ?? -1;
    // The first message of a channel says which port it is of.
    if (!this.named.has(channel)) {
      this.named.add(channel);
      return;
    }
    const content = message.subarray(1);
    if (channel === errorChannel) this.destroy(new WorkloadError('Unreachable', content.toString('utf8')));
    else if (channel === dataChannel && !this.push(content)) this.socket.pause();
  }

  override _read(): void {
    if (this.socket.isPaused) this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.send(Buffer.concat([Buffer.of(dataChannel), chunk]), done);
  }

  override _final(done: () => void): void {
    this.socket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.terminate();
    done(error);
  }
}

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of incoming) {
    text += chunk;
    if (text.length > longestRefusal) break;
  }
  return text;
};

/** Resolves when the API server and the kubelet agreed; whether anything listens on the port shows on the stream. */
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
        perMessageDeflate: false,
        maxPayload: longestMessage,
        skipUTF8Validation: true,
        ...(connection.token && { headers: { Authorization: `Bearer ${connection.token}` } }),
      });
    } catch (error) {
      // Node looks at certificates and keys as it connects.
      reject(new WorkloadError('InvalidKubeconfig', (error as Error).message, { cause: error }));
      return;
    }
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(failureOf(error, url.host, timeout));
      socket.terminate();
    };
    const timer = setTimeout(() => fail(Object.assign(new Error(), { code: 'ETIMEDOUT' })), timeout);
    socket.on('error', fail);
    socket.on('unexpected-response', (_, incoming) => {
      textOf(incoming).then((text) => fail(refusalOf(incoming.statusCode ?? 0, text)), fail);
    });
    socket.on('open', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(new ForwardedPort(socket));
    });
  });
