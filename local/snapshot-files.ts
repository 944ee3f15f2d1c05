/** The files of etcd snapshots behind their links: for the command line, and for simulated instances. */
import type { Links } from '../adapters/snapshots/links.ts';

const root = '/capstan.dev/snapshots/';

const streamed = (content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const iterator = content[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
};

const refused = () => Response.json({ message: 'the link is not valid, or is not valid any more' }, { status: 403 });

/** Undefined for other requests. */
export const snapshotFiles = (links: Links, { method, url }: Request): Promise<Response> | undefined => {
  const { pathname, search } = new URL(url);
  if (method !== 'GET' || !pathname.startsWith(root)) return undefined;
  return links.open(`${pathname}${search}`).then((content) => (content ? new Response(streamed(content)) : refused()));
};

/** For a simulated instance, which is in this process. */
export const downloadOf =
  ({ open }: Links) =>
  async (url: string): Promise<Uint8Array | undefined> => {
    const content = await open(url);
    if (!content) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
