/** The Kubernetes API as a stream: watches and lists. */

import { proxyEvent } from '../adapters/aws/lambda/events.ts';
import { requestOf } from '../adapters/aws/lambda/http.ts';
import { goneSignal, streamAnswer } from '../adapters/aws/lambda/stream.ts';
import { once } from '../machinery/once.ts';
import { servingEnvironment } from './environment.ts';
import { type Serving, servingOf } from './runtime/serving.ts';
import { lambdaStreaming, type Streaming, streams } from './streams.ts';

/** Milliseconds at the end of the invocation that are left for ending the watch. */
const ending = 15_000;

export const watches = (runtime: () => Serving, streaming: Streaming) =>
  streams(streaming, proxyEvent, {
    runtime,
    about: ({ httpMethod, path, requestContext }) => ({ request: requestContext.requestId, httpMethod, path }),
    run: async ({ server, basePath, recorded }, event, out, invocation) => {
      const watchSeconds = (invocation.getRemainingTimeInMillis() - ending) / 1000;
      const request = requestOf(event, { basePath, watchSeconds, signal: goneSignal(out) });
      try {
        await streamAnswer(out, request, await server.fetch(request), streaming.HttpResponseStream.from);
      } finally {
        await recorded();
      }
    },
  });

export const handler = watches(
  once(() => servingOf(servingEnvironment(process.env), { hasLittleMemory: true })),
  lambdaStreaming(),
);
