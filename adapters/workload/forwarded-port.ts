/**
 * A forwarded port in the WebSocket protocol that kubelets have spoken since 1.7: each message begins with its channel, 0
 * for data and 1 for why it ended, and the first that the kubelet sends on each carries the port.
 */
import { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import type { RawData } from 'ws';
import { WorkloadError } from '../../kinds/ports/workload.ts';

export const protocol = 'v4.channel.k8s.io';
/** Bytes of a message: as streaming servers send them, and more than any of them sends. */
const usualMessage = 32 * 1024;
export const longestMessage = 4 * 1024 * 1024;

const dataChannel = 0;
const errorChannel = 1;

export interface ForwardedPortOptions {
  /** `self`: of this port, on the kubelet's side. */
  greets: 'peer' | { self: number };
}

/** The data channel of an open port forward. It has no half-close: ending it ends both directions. */
export class ForwardedPort extends Duplex {
  private readonly socket: WebSocket;
  private readonly named = new Set<number>();

  constructor(socket: WebSocket, { greets }: ForwardedPortOptions) {
    super({ allowHalfOpen: false });
    this.socket = socket;
    if (greets !== 'peer')
      for (const channel of [dataChannel, errorChannel]) {
        this.named.add(channel);
        socket.send(Buffer.of(channel, greets.self & 0xff, greets.self >> 8));
      }
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

  /** Says why there is nothing to forward, and ends. */
  refuse(why: string): void {
    this.socket.send(Buffer.concat([Buffer.of(errorChannel), Buffer.from(why)]), () => this.socket.close());
  }

  override _read(): void {
    if (this.socket.isPaused) this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const sendFrom = (start: number): void => {
      const end = Math.min(start + usualMessage, chunk.length);
      const message = Buffer.concat([Buffer.of(dataChannel), chunk.subarray(start, end)]);
      this.socket.send(message, (error) => {
        if (error || end === chunk.length) done(error);
        else sendFrom(end);
      });
    };
    sendFrom(0);
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
