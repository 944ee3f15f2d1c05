/** Handlers that write their answer into a stream, as Lambda's runtime knows them. */
import type { Writable } from 'node:stream';
import type * as z from 'zod/mini';
import { withLogKeys } from '../adapters/aws/lambda/log.ts';
import type { WithHead } from '../adapters/aws/lambda/stream.ts';
import type { Log } from '../machinery/ports.ts';
import { checkedEvent, type Invocation } from './handle.ts';

export type StreamingHandler = (event: unknown, stream: Writable, invocation: Invocation) => Promise<void>;

/** What Lambda's runtime calls `awslambda`. */
export interface Streaming {
  streamifyResponse(handler: StreamingHandler): unknown;
  HttpResponseStream: { from: WithHead };
}

/** Libraries keep things of their own under this name, so that it may be there without what is looked for. */
const lambdas = (): Partial<Streaming> => (globalThis as unknown as { awslambda?: Partial<Streaming> }).awslambda ?? {};

/** Of whatever loads the function; where nothing gives streams, the handler is as it was written. */
export const lambdaStreaming = (): Streaming => ({
  streamifyResponse: (handler) => lambdas().streamifyResponse?.(handler) ?? handler,
  HttpResponseStream: {
    from: (stream, head) => {
      const { HttpResponseStream } = lambdas();
      if (!HttpResponseStream) throw new Error('this function runs on Lambda, or where awslambda is given');
      return HttpResponseStream.from(stream, head);
    },
  },
});

export interface Streamed<E, T> {
  runtime: () => T;
  about: (event: E) => Record<string, unknown>;
  run: (runtime: T, event: E, stream: Writable, invocation: Invocation) => Promise<void>;
}

export const streams = <S extends z.ZodMiniType, T extends { log: Log }>(
  { streamifyResponse }: Streaming,
  schema: () => S,
  { runtime, about, run }: Streamed<z.output<S>, T>,
) =>
  streamifyResponse(async (event, stream, invocation) => {
    try {
      const given = checkedEvent(schema, event);
      const keys = { invocation: invocation.awsRequestId, ...about(given) };
      await withLogKeys(keys, () => run(runtime(), given, stream, invocation));
    } catch (error) {
      runtime().log.error('Invocation failed', { invocation: invocation.awsRequestId, error });
      throw error;
    }
  });
