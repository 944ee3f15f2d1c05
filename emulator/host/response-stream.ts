/** The response stream of Lambda's runtime. */
import { Writable } from 'node:stream';
import type { Head } from './messages.ts';

/** The part of this runtime that streaming libraries use. */
export interface LambdaStreaming {
  streamifyResponse(handler: unknown): unknown;
  HttpResponseStream: { from(stream: Writable, head: Head): Writable };
}

const streaming = Symbol('streaming');
export const isStreaming = (handler: unknown): boolean => typeof handler === 'function' && streaming in handler;

/** The receiver of a response. */
export interface Recipient {
  head(head: Head): void;
  /** `taken` is called when the receiver accepts more. */
  chunk(chunk: Buffer, taken: (error?: Error | null) => void): void;
  end(): void;
}

/** Sends nothing, not even the head, before the first write. */
export class ResponseStream extends Writable {
  head: Head | undefined;
  readonly #recipient: Recipient;
  #hasBegun = false;

  constructor(recipient: Recipient) {
    super();
    this.#recipient = recipient;
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#recipient.head(this.head ?? { statusCode: 200 });
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#begin();
    if (chunk.length === 0) done();
    else this.#recipient.chunk(chunk, done);
  }

  override _final(done: () => void): void {
    this.#begin();
    this.#recipient.end();
    done();
  }
}

export const lambdaStreaming: LambdaStreaming = {
  streamifyResponse: (handler) => Object.assign(handler as object, { [streaming]: true }),
  HttpResponseStream: {
    from: (stream, head) => {
      (stream as ResponseStream).head = head;
      return stream;
    },
  },
};
