/** Answers that are sent as they come, through the stream that Lambda hands to a function. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { type Head, headOf, isWatch, wholeBody } from './http.ts';

/** What Lambda's runtime puts in front of a body: `awslambda.HttpResponseStream.from`. */
export type WithHead = (stream: Writable, head: Head) => Writable;

/** Resolves with the event, or when nobody is left to whom it matters. */
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

/** Watches line by line, all else whole and compressed where that is accepted. Ends the stream. */
export const streamAnswer = async (
  stream: Writable,
  request: Request,
  response: Response,
  withHead: WithHead,
): Promise<void> => {
  const isStreaming = isWatch(new URL(request.url).searchParams) && response.ok && response.body !== null;
  const { bytes, headers } = isStreaming ? { bytes: '', headers: {} } : await wholeBody(request, response);
  const out = withHead(stream, headOf(response, headers));
  // Nothing is written without a first write, and a watch must be told at once that it has begun.
  out.write(bytes);
  if (isStreaming) await pump(out, response.body!);
  if (out.destroyed) return;
  // What is still on its way when a function has answered stays where it is until the next event.
  const flushed = reached(out, 'finish');
  out.end();
  await flushed;
};

/** Aborted when whoever reads the stream is gone. */
export const goneSignal = (stream: Writable): AbortSignal => {
  const gone = new AbortController();
  for (const event of ['close', 'error']) stream.once(event, () => gone.abort());
  return gone.signal;
};
