/**
 * Calls webhooks of users over HTTPS, with the certificates that a user names. Follows no redirect,
 * and reaches no address of the host itself or of its cloud's metadata.
 */
import { lookup as lookupByDns } from 'node:dns';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { CallWebhook, WebhookTarget } from '../../machinery/api/webhook.ts';
import { bodyOf, eventOf, functionAt, type InvokeFunction, jsonOf } from './function.ts';

export interface WebhookOptions {
  /** Milliseconds. */
  timeout?: number;
  /** Bytes of an answer. */
  longest?: number;
  /** Whether a webhook may run on this host, as it does in development. */
  allowsLocal?: boolean;
  /** Calls AWS Lambda functions; absent where there is no account. */
  invoke?: InvokeFunction;
}

const isForbidden = (address: string): boolean =>
  ['loopback', 'linkLocal', 'unspecified', 'multicast', 'broadcast'].includes(ipaddr.process(address).range());

/** Resolves as DNS does, but never to a forbidden address. */
const guardedLookup: LookupFunction = (hostname, options, done) =>
  lookupByDns(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '', 0);
    const bad = addresses.find(({ address }) => isForbidden(address));
    if (bad) return done(new Error(`${hostname} is ${bad.address}, which webhooks may not use`), '', 0);
    if (options.all) return done(null, addresses);
    done(null, addresses[0]!.address, addresses[0]!.family);
  });

const seconds = (timeout: number): string => `timeout=${Math.ceil(timeout / 1000)}s`;

const post = (
  { url, path = '', caBundle, serverName }: WebhookTarget,
  payload: Buffer,
  { timeout, longest, allowsLocal, query }: Required<Omit<WebhookOptions, 'invoke'>> & { query: string },
): Promise<string> =>
  new Promise((resolve, reject) => {
    const to = new URL(`${url}${path}`);
    to.search = query;
    const host = to.hostname.replace(/^\[|\]$/g, '');
    if (!allowsLocal && ipaddr.isValid(host) && isForbidden(host))
      return reject(new Error(`webhooks may not use the address ${host}`));
    const sent = request(
      to,
      {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'Content-Length': payload.length,
        },
        timeout,
        signal: AbortSignal.timeout(timeout),
        ...(caBundle && { ca: Buffer.from(caBundle, 'base64') }),
        ...(serverName && { servername: serverName }),
        ...(!allowsLocal && { lookup: guardedLookup }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > longest) sent.destroy(new Error(`the answer is longer than ${longest} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode !== 200)
            return reject(new Error(`the server responded with the status code ${response.statusCode}`));
          resolve(Buffer.concat(chunks).toString());
        });
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');

/** What a call that failed was, as Go's HTTP client reports it. */
const failed = (url: string, error: unknown): Error =>
  new Error(`Post "${url}": ${isTimeout(error) ? 'context deadline exceeded' : (error as Error).message}`, {
    cause: error,
  });

export const webhookCaller = ({
  timeout: defaultTimeout = 10_000,
  longest = 20 * 1024 * 1024,
  allowsLocal = false,
  invoke,
}: WebhookOptions = {}): CallWebhook => {
  const answerOf = async (target: WebhookTarget, body: unknown, timeout: number, query: string): Promise<unknown> => {
    const name = functionAt(target.url!);
    if (name === undefined) {
      const payload = Buffer.from(JSON.stringify(body));
      return jsonOf(await post(target, payload, { timeout, longest, allowsLocal, query }));
    }
    if (!invoke) throw new Error('functions of AWS Lambda are called by an installation on AWS alone');
    return bodyOf(await invoke(name, eventOf(target.path ?? '', query, body), timeout));
  };
  return async (target, body, { timeout } = {}) => {
    if (target.url === undefined) throw new Error('the webhook has no url');
    const query = timeout === undefined ? '' : seconds(timeout);
    try {
      return await answerOf(target, body, timeout ?? defaultTimeout, query);
    } catch (error) {
      throw failed(`${target.url}${target.path ?? ''}${query && `?${query}`}`, error);
    }
  };
};
