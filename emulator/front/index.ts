/**
 * A TLS front, because kubectl sends credentials only over TLS. It serves the API at `/`, like a custom
 * domain on AWS.
 */
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { type Listener, serve } from '../../adapters/node/index.ts';
import { targetFor, targets } from '../../cdk/routes.ts';
import { type Functions, Throttled } from '../host/functions.ts';
import type { Head } from '../host/messages.ts';
import { requestTimeout, unavailable, whenFree } from '../host/throttle.ts';
import { proxyEventOf } from './event.ts';
import type { Api, Gateway } from './gateway.ts';
import { createRateLimit } from './rate-limit.ts';

export interface FrontOptions {
  /** 0 = any free one. */
  port: number;
  certificate: string;
  key: string;
  gateway: Gateway;
  functions: Functions;
  /** The function for lists and watches. */
  streaming: string;
  account: string;
  onError: (error: unknown) => void;
}

const statusOf = (code: number, reason: string, message: string): Response =>
  Response.json(
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
    { status: code },
  );

const notDeployed = () =>
  statusOf(503, 'ServiceUnavailable', 'nothing is deployed in the emulator yet: npm run deploy');

/** As the template has it for THROTTLED: no function has begun, so clients may send the request again. */
const throttled = () => {
  const response = statusOf(429, 'TooManyRequests', 'Too Many Requests');
  response.headers.set('retry-after', '2');
  return response;
};

const headersOf = ({ headers = {}, multiValueHeaders = {} }: Head): Headers => {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) result.set(name, value);
  for (const [name, values] of Object.entries(multiValueHeaders)) {
    result.delete(name);
    for (const value of values) result.append(name, value);
  }
  return result;
};

/** Streams a function's response as the gateway does: the head first, then each chunk. */
const streamed = (options: FrontOptions, api: Api, request: Request): Promise<Response> =>
  new Promise((resolve, reject) => {
    const gone = new AbortController();
    let out: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        out = controller;
      },
      cancel: () => gone.abort(),
    });
    let isOpen = true;
    const close = () => {
      if (isOpen && !gone.signal.aborted) out?.close();
      isOpen = false;
    };
    const sink = {
      head: (head: Head) => resolve(new Response(body, { status: head.statusCode, headers: headersOf(head) })),
      chunk: (chunk: Uint8Array) => {
        if (isOpen && !gone.signal.aborted) out?.enqueue(chunk);
      },
      end: close,
    };
    const event = proxyEventOf(request, api, options.account);
    const invoke = () => options.functions.invoke(options.streaming, event, sink, gone.signal);
    whenFree(invoke, requestTimeout).then(
      () => {
        close();
        resolve(statusOf(502, 'InternalError', 'the function answered nothing'));
      },
      (error: unknown) => {
        if (error instanceof Throttled) {
          const { statusCode, headers, body: text } = unavailable();
          return resolve(new Response(text, { status: statusCode, headers }));
        }
        options.onError(error);
        // A response that has begun can only be aborted.
        if (isOpen && !gone.signal.aborted) out?.error(error);
        isOpen = false;
        resolve(statusOf(502, 'InternalError', 'the function failed'));
      },
    );
    const leave = () => {
      // Without a response there is no body whose cancellation would tell.
      gone.abort();
      reject(new Error('the client is gone'));
    };
    request.signal.addEventListener('abort', leave, { once: true });
  });

/** Forwards to MiniStack's gateway byte by byte, without decompression. */
const forwarded = async (url: string, request: Request): Promise<Response> => {
  const body = Buffer.from(await request.arrayBuffer());
  const headers: Record<string, string> = Object.fromEntries(request.headers);
  for (const name of ['host', 'connection', 'transfer-encoding', 'expect']) delete headers[name];
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      {
        method: request.method,
        headers: { ...headers, 'content-length': String(body.length) },
        signal: request.signal,
      },
      (incoming) => {
        const answered = new Headers();
        for (let n = 0; n < incoming.rawHeaders.length; n += 2) {
          const name = incoming.rawHeaders[n]!.toLowerCase();
          if (name !== 'transfer-encoding' && name !== 'connection' && name !== 'content-length')
            answered.append(name, incoming.rawHeaders[n + 1]!);
        }
        const status = incoming.statusCode ?? 502;
        const hasBody = status !== 204 && status !== 304;
        if (!hasBody) incoming.resume();
        const stream = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
        resolve(new Response(stream, { status, headers: answered }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};

export const startFront = (options: FrontOptions): Promise<Listener> => {
  const { port, certificate, key, gateway, onError } = options;
  const limits = new Map(targets.map(({ path, method }) => [`${method} ${path}`, createRateLimit()]));
  const answer = async (request: Request): Promise<Response> => {
    const api = await gateway.find();
    if (!api) return notDeployed();
    const { pathname, search } = new URL(request.url);
    const target = targetFor(request.method, pathname);
    if (!target) return statusOf(404, 'NotFound', 'the server could not find the requested resource');
    const throttle = api.throttleOf(target.path, request.method);
    if (throttle && !limits.get(`${request.method} ${target.path}`)!.admits(throttle)) return throttled();
    if (!target.isPublic && !request.headers.get('authorization')) return statusOf(401, 'Unauthorized', 'Unauthorized');
    if (target.function === 'watch') return streamed(options, api, request);
    const response = await forwarded(gateway.urlOf(api, pathname + search), request);
    if (response.status === 404 && !response.headers.get('content-type')?.includes('json')) gateway.forget();
    return response;
  };
  return serve({
    port,
    identity: () => ({ certificate, key }),
    fetch: async (request) => {
      try {
        return await answer(request);
      } catch (error) {
        if (!request.signal.aborted) onError(error);
        return statusOf(502, 'InternalError', 'the emulator cannot reach the deployed API');
      }
    },
    onError,
  });
};
