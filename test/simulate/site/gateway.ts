/** API Gateway: passes requests to functions and their answers to clients. */
import type { ProxyAnswer } from '../../../adapters/aws/lambda/http.ts';
import { proxyEventOf } from '../../../emulator/front/event.ts';
import type { Head } from '../../../emulator/host/messages.ts';
import { ResponseStream } from '../../../emulator/host/response-stream.ts';
import type { LambdaHandler } from '../../../lambdas/handle.ts';
import type { StreamingHandler } from '../../../lambdas/streams.ts';

const api = { id: 'simulated', stage: 'prod' };
const account = '000000000000';
/** Statuses without a body. */
const bodiless = [204, 304];

export interface Passing {
  /** The clock for the context and the time limit of a request. */
  clock: { now(): number };
  requestId: string;
  /** The time limit of the function in milliseconds. */
  limit: number;
}

const eventOf = async (request: Request, { clock, requestId }: Passing) => {
  const body = Buffer.from(await request.arrayBuffer());
  return {
    ...proxyEventOf(request, api, account, { now: new Date(clock.now()), requestId }),
    ...(body.length > 0 && { body: body.toString('base64'), isBase64Encoded: true }),
  };
};

const invocationOf = ({ clock, requestId, limit }: Passing) => {
  const end = clock.now() + limit;
  return { awsRequestId: requestId, getRemainingTimeInMillis: () => end - clock.now() };
};

const headersOf = ({ headers = {}, multiValueHeaders = {} }: Partial<Head>): Headers => {
  const result = new Headers(headers);
  for (const [name, values] of Object.entries(multiValueHeaders)) for (const one of values) result.append(name, one);
  return result;
};

const responseOf = ({ statusCode, multiValueHeaders, body, isBase64Encoded }: ProxyAnswer): Response => {
  const bytes = bodiless.includes(statusCode) ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return new Response(bytes, { status: statusCode, headers: headersOf({ multiValueHeaders }) });
};

export const throughGateway = async (
  request: Request,
  handler: LambdaHandler<ProxyAnswer>,
  passing: Passing,
): Promise<Response> => responseOf(await handler(await eventOf(request, passing), invocationOf(passing)));

export interface Streamed {
  /** Resolves when the first part of the response is sent. */
  response: Promise<Response>;
  /** Resolves when the function returns. */
  run(handler: StreamingHandler): Promise<void>;
  /** Ends the response early. */
  break(error: Error): void;
}

/**
 * A streaming function: its writes are sent immediately, and the stream closes when the client
 * disconnects.
 */
export const streamedThroughGateway = (request: Request, passing: Passing): Streamed => {
  const { promise: response, resolve, reject } = Promise.withResolvers<Response>();
  let body!: ReadableStreamDefaultController<Uint8Array>;
  let isOpen = true;
  const close = (how: () => void) => {
    if (isOpen) how();
    isOpen = false;
  };
  const out = new ResponseStream({
    head: (head) => {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          body = controller;
        },
        cancel: () => close(() => out.destroy()),
      });
      const { statusCode: status } = head;
      resolve(new Response(bodiless.includes(status) ? null : stream, { status, headers: headersOf(head) }));
    },
    chunk: (chunk, taken) => {
      if (isOpen) body.enqueue(new Uint8Array(chunk));
      taken();
    },
    end: () => close(() => body.close()),
  });
  const stop = (error: Error) => {
    reject(error);
    close(() => body?.error(error));
    out.destroy();
  };
  request.signal.addEventListener('abort', () => stop(new Error('the client disconnected')));
  return {
    response,
    run: async (handler) => handler(await eventOf(request, passing), out, invocationOf(passing)),
    break: stop,
  };
};
