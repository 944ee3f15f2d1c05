/** Converts between Node's HTTP messages and the web's Request and Response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

/** Bytes below which compression does not pay on the internet. */
export const worthCompressing = 1024;
/** Bytes below which compression does not pay on a local connection. */
const worthCompressingNearby = 4096;

const headersOf = (incoming: IncomingMessage): Headers => {
  const headers = new Headers();
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    const name = incoming.rawHeaders[i]!;
    if (!name.startsWith(':')) headers.append(name, incoming.rawHeaders[i + 1]!);
  }
  return headers;
};

/** `signal` is aborted when the client disconnects. */
export const toRequest = (incoming: IncomingMessage, origin: string, signal?: AbortSignal): Request => {
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // Concatenated and not resolved: a path with two leading slashes must not name another host.
  const path = incoming.url?.startsWith('/') ? incoming.url : '/';
  return new Request(`${origin}${path}`, {
    method,
    headers: headersOf(incoming),
    ...(signal && { signal }),
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' as const }),
  });
};

export const acceptsGzip = (request: Request): boolean =>
  (request.headers.get('accept-encoding') ?? '')
    .split(',')
    .some((part) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(part));

const writeHead = (outgoing: ServerResponse, response: Response, more: Record<string, string> = {}): void => {
  outgoing.statusCode = response.status;
  // The unread rest of a rejected body would precede the next request.
  if (!outgoing.req.complete) outgoing.shouldKeepAlive = false;
  // One header per warning, because joined ones could not be separated.
  for (const [name, value] of response.headers)
    outgoing.setHeader(name, name === 'warning' ? value.split(/, (?=299 )/) : value);
  for (const [name, value] of Object.entries(more)) outgoing.setHeader(name, value);
};

/** Resolves when the buffer has room or the client has disconnected. */
const drained = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });

const writeStream = async (outgoing: ServerResponse, body: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  outgoing.once('close', cancel);
  // The close event of an earlier disconnect has already fired.
  if (outgoing.destroyed) cancel();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
  } finally {
    outgoing.off('close', cancel);
    outgoing.end();
  }
};

/** Streams watches line by line; sends other responses whole, compressed if worthwhile. */
export const sendResponse = async (
  outgoing: ServerResponse,
  request: Request,
  response: Response,
  streaming: boolean,
): Promise<void> => {
  if (streaming && response.body) {
    writeHead(outgoing, response);
    outgoing.flushHeaders();
    await writeStream(outgoing, response.body);
    return;
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length >= worthCompressingNearby && acceptsGzip(request) && !response.headers.has('content-encoding')) {
    const compressed = gzipSync(bytes, { level: 1 });
    const vary = [response.headers.get('vary'), 'Accept-Encoding'].filter(Boolean).join(', ');
    writeHead(outgoing, response, { 'content-encoding': 'gzip', 'content-length': String(compressed.length), vary });
    outgoing.end(request.method === 'HEAD' ? undefined : compressed);
    return;
  }
  writeHead(outgoing, response, { 'content-length': String(bytes.length) });
  outgoing.end(request.method === 'HEAD' ? undefined : bytes);
};
