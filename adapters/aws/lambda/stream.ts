/** Streams responses through Lambda's response stream. */
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { acceptsGzip } from '../../node/responses.ts';
import { compressedHeaders, type Head, headOf, isWatch, wholeBody } from './http.ts';

/** Lambda's `awslambda.HttpResponseStream.from`, which prepends the head. */
export type WithHead = (stream: Writable, head: Head) => Writable;

/** Resolves with the event, or when the client has disconnected. */
const reached = async (out: Writable, event: 'drain' | 'finish'): Promise<void> => {
  const done = new AbortController();
  const { signal } = done;
  const ended = [event, 'close', 'error'].map((one) => once(out, one, { signal }).catch(() => undefined));
  await Promise.race(ended);
  done.abort();
};

const pump = async (out: Writable, body: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  out.once('close', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || out.destroyed) break;
      if (!out.write(value)) await reached(out, 'drain');
    }
  } finally {
    out.off('close', cancel);
  }
};

/** The response if its body is one chunk; otherwise its chunks, the first of which was read. */
const piecesOf = async (response: Response): Promise<Response | AsyncIterable<Uint8Array>> => {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const first = await reader.read();
  const second = first.done ? first : await reader.read();
  const { status, headers } = response;
  if (second.done) return new Response(first.value, { status, headers });
  return (async function* () {
    yield first.value!;
    yield second.value;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  })();
};

/** Streams a long response, compressed if accepted. */
const sendPieces = async (out: Writable, pieces: AsyncIterable<Uint8Array>, isCompressed: boolean): Promise<void> => {
  const end = { end: false };
  if (isCompressed) await pipeline(Readable.from(pieces), createGzip({ level: 1 }), out, end);
  else await pipeline(Readable.from(pieces), out, end);
};

const send = async (stream: Writable, request: Request, response: Response, withHead: WithHead): Promise<Writable> => {
  if (isWatch(new URL(request.url).searchParams) && response.ok && response.body) {
    const out = withHead(stream, headOf(response));
    // Lambda sends nothing before the first write, and a watch client waits for the head.
    out.write('');
    await pump(out, response.body);
    return out;
  }
  const pieces = await piecesOf(response);
  if (pieces instanceof Response) {
    const { bytes, headers } = await wholeBody(request, pieces);
    const out = withHead(stream, headOf(pieces, headers));
    out.write(bytes);
    return out;
  }
  const isCompressed = acceptsGzip(request);
  const out = withHead(stream, headOf(response, isCompressed ? compressedHeaders(response) : {}));
  await sendPieces(out, pieces, isCompressed);
  return out;
};

/** Streams watches by line and long lists in chunks; sends others whole. Ends the stream. */
export const streamAnswer = async (
  stream: Writable,
  request: Request,
  response: Response,
  withHead: WithHead,
): Promise<void> => {
  const out = await send(stream, request, response, withHead);
  if (out.destroyed) return;
  // Lambda freezes the process after the response, so wait until it is flushed.
  const flushed = reached(out, 'finish');
  out.end();
  await flushed;
};

/** Aborted when the client disconnects. */
export const goneSignal = (stream: Writable): AbortSignal => {
  const gone = new AbortController();
  for (const event of ['close', 'error']) stream.once(event, () => gone.abort());
  return gone.signal;
};
