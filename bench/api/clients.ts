/** Two clients of the API: a function call, and HTTPS. */
import { Agent, request as httpsRequest } from 'node:https';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { serve } from '../../adapters/node/index.ts';
import { createAuthority, issue } from '../../adapters/pki/index.ts';
import { createSystem } from '../../local/system.ts';

const token = 'bench';

export interface ApiClient {
  name: string;
  /** Sends a request and reads the whole response; throws unless it succeeds. */
  send(method: string, path: string, body?: string, contentType?: string): Promise<string>;
  /** Calls `onBytes` for each chunk; the returned function ends the watch. */
  watch(path: string, onBytes: (bytes: Uint8Array) => void): Promise<() => void>;
}

const headersFor = (contentType: string) => ({ authorization: `Bearer ${token}`, 'content-type': contentType });
const succeeded = (status: number, text: string): string => {
  if (status >= 300) throw new Error(text);
  return text;
};

const direct = (fetch: (request: Request) => Promise<Response>): ApiClient => {
  const url = (path: string) => `https://127.0.0.1${path}`;
  return {
    name: 'fetch(Request)',
    send: async (method, path, body, contentType = 'application/json') => {
      const init = { method, headers: headersFor(contentType), ...(body !== undefined && { body }) };
      const response = await fetch(new Request(url(path), init));
      return succeeded(response.status, await response.text());
    },
    watch: async (path, onBytes) => {
      const stop = new AbortController();
      const response = await fetch(new Request(url(path), { headers: headersFor(''), signal: stop.signal }));
      const reader = response.body!.getReader();
      const read = async (): Promise<void> => {
        const { value, done } = await reader.read();
        if (done) return;
        onBytes(value);
        return read();
      };
      void read().catch(() => {});
      return () => stop.abort();
    },
  };
};

const connected = (port: number, ca: string): ApiClient => {
  const agent = new Agent({ keepAlive: true, ca, maxSockets: 64 });
  const open = (method: string, path: string, contentType: string) =>
    httpsRequest({ agent, host: '127.0.0.1', port, method, path, headers: headersFor(contentType) });
  return {
    name: 'HTTPS',
    send: (method, path, body, contentType = 'application/json') =>
      new Promise((resolve, reject) => {
        const call = open(method, path, contentType);
        call.on('error', reject).on('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => {
            try {
              resolve(succeeded(response.statusCode ?? 0, text));
            } catch (error) {
              reject(error);
            }
          });
        });
        call.end(body);
      }),
    watch: (path, onBytes) =>
      new Promise((resolve, reject) => {
        const call = open('GET', path, '');
        call.on('error', reject).on('response', (response) => {
          response.on('data', onBytes).on('error', () => {});
          resolve(() => call.destroy());
        });
        call.end();
      }),
  };
};

/** The API without controllers, over memory tables. */
export const openClients = async (): Promise<{ clients: ApiClient[]; close(): Promise<void> }> => {
  const clock = systemClock;
  const system = createSystem({
    clock,
    random: systemRandom,
    keys: memoryKeys(systemRandom),
    objects: memoryTable({ clock }),
    work: memoryTable({ clock }),
    account: memoryStorage(clock),
    network: { listen: () => {}, close: () => {}, reserve: () => 1 },
    log: { info: () => {}, error: (message, facts) => console.error(message, facts) },
    installation: 'bench',
    token,
    apiOnly: true,
  });
  await system.start();
  const now = clock.now();
  const algorithm = 'ECDSA-P256';
  const ca = createAuthority({ subject: { commonName: 'bench' }, days: 1, algorithm, now });
  const subject = { commonName: 'capstan' };
  const serving = issue({ subject, sans: ['127.0.0.1'], usages: ['server'], ca, days: 1, now, algorithm });
  const { fetch } = system.server;
  const listener = await serve({ port: 0, identity: () => serving, fetch });
  return {
    clients: [direct(fetch), connected(listener.port, ca.certificate)],
    close: async () => {
      system.stop();
      await listener.close();
    },
  };
};
