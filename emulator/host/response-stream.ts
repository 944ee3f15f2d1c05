/** In a sandbox: the stream that a function answers into, as Lambda's runtime gives it. */
import { Writable } from 'node:stream';
import type { FromSandbox, Head } from './messages.ts';

/** What libraries that stream know of this runtime. */
export interface LambdaStreaming {
  streamifyResponse(handler: unknown): unknown;
  HttpResponseStream: { from(stream: Writable, head: Head): Writable };
}

const streaming = Symbol('streaming');
export const isStreaming = (handler: unknown): boolean => typeof handler === 'function' && streaming in handler;

/** Nothing of it leaves before the first write, the head neither. */
export class ResponseStream extends Writable {
  head: Head | undefined;
  readonly #id: string;
  #hasBegun = false;

  constructor(id: string) {
    super();
    this.#id = id;
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    send({ say: 'head', id: this.#id, head: this.head ?? { statusCode: 200 } });
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#begin();
    if (chunk.length === 0) {
      done();
      return;
    }
    process.send?.({ say: 'chunk', id: this.#id, chunk } satisfies FromSandbox, undefined, undefined, (error) =>
      done(error),
    );
  }

  override _final(done: () => void): void {
    this.#begin();
    send({ say: 'end', id: this.#id });
    done();
  }
}

export const send = (message: FromSandbox): void => {
  process.send?.(message);
};

export const lambdaStreaming: LambdaStreaming = {
  streamifyResponse: (handler) => Object.assign(handler as object, { [streaming]: true }),
  HttpResponseStream: {
    from: (stream, head) => {
      (stream as ResponseStream).head = head;
      return stream;
    },
  },
};
