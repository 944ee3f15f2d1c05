/** One streaming call of etcd's JSON gateway on a connection of its own. */
import { type IncomingMessage, request } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { failureOf, timeoutError } from './exchange.ts';
import { gatewayRefusal } from './gateway-refusal.ts';

const longestRefusal = 64 * 1024;

/** Bytes as they arrive. `timeout`: milliseconds without a byte after which the stream counts as broken. */
async function* chunksOf(incoming: IncomingMessage, host: string, timeout: number): AsyncGenerator<Uint8Array> {
  const expectMore = () => setTimeout(() => incoming.destroy(timeoutError()), timeout);
  let timer = expectMore();
  try {
    for await (const chunk of incoming) {
      // A consumer that is slow to take a chunk must not count as a silent member.
      clearTimeout(timer);
      yield chunk as Buffer;
      timer = expectMore();
    }
    if (!incoming.complete) throw new WorkloadError('Unreachable', `the stream of ${host} broke off`);
  } catch (error) {
    throw failureOf(error as Error, host, timeout);
  } finally {
    clearTimeout(timer);
    incoming.destroy();
  }
}

const textOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of chunks) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.length > longestRefusal) break;
  }
  return text;
};

/** Resolves with the body once the member has accepted the call. The connection ends with the stream. */
export const streamFrom = async (
  socket: TLSSocket,
  host: string,
  path: string,
  body: unknown,
  timeout: number,
): Promise<AsyncIterable<Uint8Array>> => {
  const bytes = Buffer.from(JSON.stringify(body));
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      path,
      method: 'POST',
      host: 'localhost',
      headers: { 'content-type': 'application/json', 'content-length': bytes.length, connection: 'close' },
    });
    const timer = setTimeout(() => outgoing.destroy(timeoutError()), timeout);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(failureOf(error, host, timeout));
    });
    outgoing.on('response', (response) => {
      clearTimeout(timer);
      response.once('close', () => socket.destroy());
      resolve(response);
    });
    outgoing.end(bytes);
  });
  const chunks = chunksOf(incoming, host, timeout);
  if (incoming.statusCode === 200) return chunks;
  throw gatewayRefusal({ host, path, status: incoming.statusCode ?? 0 }, await textOf(chunks));
};
