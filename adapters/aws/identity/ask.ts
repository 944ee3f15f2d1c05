/** Bounded requests to identity providers: limited in time, size and number, without redirects. */
import { unavailable } from '../../../machinery/api/errors.ts';

export type Fetch = (
  url: string,
  init: { method: 'GET'; headers: Record<string, string>; redirect: 'error'; signal: AbortSignal },
) => Promise<Response>;

export interface Answer {
  status: number;
  /** Undefined unless it is JSON. */
  body: unknown;
}

export interface AskOptions {
  fetch: Fetch;
  /** The provider's name for messages, because URLs may contain secrets. */
  whom: string;
  /** Milliseconds. */
  timeout?: number;
  /** Bytes. */
  largest?: number;
  /** Concurrent requests; more are rejected. */
  most?: number;
}

const bytesOf = async (response: Response, largest: number): Promise<Buffer | undefined> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > largest) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
};

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Throws 503 without a response. The cause is omitted, because it contains the URL. */
export const createAsk = ({ fetch, whom, timeout = 5000, largest = 262_144, most = 50 }: AskOptions) => {
  let under = 0;
  return async (url: string, headers: Record<string, string> = {}): Promise<Answer> => {
    if (under >= most) throw unavailable(`too many identities are being verified with ${whom}`);
    under++;
    try {
      const signal = AbortSignal.timeout(timeout);
      const init = {
        method: 'GET',
        headers: { accept: 'application/json', ...headers },
        redirect: 'error',
        signal,
      } as const;
      const response = await fetch(url, init);
      const bytes = await bytesOf(response, largest);
      return { status: response.status, body: bytes && jsonOf(bytes) };
    } catch {
      throw unavailable(`the identity could not be verified: ${whom} does not answer`, 2);
    } finally {
      under--;
    }
  };
};
