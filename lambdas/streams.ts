/** Handlers that stream their response, as Lambda's runtime defines them. */
import type { Writable } from 'node:stream';
import type * as z from 'zod/mini';
import { withLogKeys } from '../adapters/aws/lambda/log.ts';
import type { WithHead } from '../adapters/aws/lambda/stream.ts';
import type { Log } from '../machinery/ports.ts';
import { checkedEvent, type Invocation } from './handle.ts';

export type StreamingHandler = (event: unknown, stream: Writable, invocation: Invocation) => Promise<void>;

/** The global `awslambda` of Lambda's runtime. */
export interface Streaming {
  streamifyResponse(handler: StreamingHandler): unknown;
  HttpResponseStream: { from: WithHead };
}

/** Libraries extend this global, so it may exist without the streaming functions. */
const lambdas = (): Partial<Streaming> => (globalThis as unknown as { awslambda?: Partial<Streaming> }).awslambda ?? {};

/** Without streaming support in the runtime, the handler stays as it is. */
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
