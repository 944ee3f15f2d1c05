/**
 * A forwarded port in the kubelet's WebSocket protocol (since 1.7): each message starts with its channel, 0
 * for data and 1 for errors, and the kubelet's first message on each contains the port.
 */
import { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import type { RawData } from 'ws';
import { WorkloadError } from '../../kinds/ports/workload.ts';

export const protocol = 'v4.channel.k8s.io';
/** Bytes per message: the usual maximum of streaming servers, and a limit that none exceeds. */
const defaultMessageSize = 32 * 1024;
export const longestMessage = 4 * 1024 * 1024;

const dataChannel = 0;
const errorChannel = 1;

export interface ForwardedPortOptions {
  /** `self`: the port, on the kubelet's side. */
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
    // Users of the stream have their own error listeners.
    this.on('error', () => undefined);
  }

  private receive(raw: RawData): void {
    const message = raw as Buffer;
    const channel = message[0] ?? -1;
    // The first message of a channel contains the port.
    if (!this.named.has(channel)) {
      this.named.add(channel);
      return;
    }
    const content = message.subarray(1);
    if (channel === errorChannel) this.destroy(new WorkloadError('Unreachable', content.toString('utf8')));
    else if (channel === dataChannel && !this.push(content)) this.socket.pause();
  }

  /** Reports why there is nothing to forward, and ends. */
  refuse(why: string): void {
    this.socket.send(Buffer.concat([Buffer.of(errorChannel), Buffer.from(why)]), () => this.socket.close());
  }

  override _read(): void {
    if (this.socket.isPaused) this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const sendFrom = (start: number): void => {
      const end = Math.min(start + defaultMessageSize, chunk.length);
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
