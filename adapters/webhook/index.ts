/**
 * Calls webhooks of users over HTTPS, with the certificates that a user names. Follows no redirect,
 * and reaches no address of the host itself or of its cloud's metadata.
 */
import { lookup as lookupByDns } from 'node:dns';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { CallWebhook } from '../../machinery/custom/webhook.ts';

export interface WebhookOptions {
  /** Milliseconds. */
  timeout?: number;
  /** Bytes of an answer. */
  longest?: number;
  /** Whether a webhook may run on this host, as it does in development. */
  allowsLocal?: boolean;
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

export const webhookCaller =
  ({ timeout = 10_000, longest = 20 * 1024 * 1024, allowsLocal = false }: WebhookOptions = {}): CallWebhook =>
  ({ url, service, caBundle }, body) =>
    new Promise((resolve, reject) => {
      if (url === undefined) {
        const named = service ? `${service.namespace}/${service.name}` : 'none';
        return reject(new Error(`the service ${named} has no address here: give the webhook by its url`));
      }
      const to = new URL(url);
      const host = to.hostname.replace(/^\[|\]$/g, '');
      if (!allowsLocal && ipaddr.isValid(host) && isForbidden(host))
        return reject(new Error(`webhooks may not use the address ${host}`));
      const payload = Buffer.from(JSON.stringify(body));
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
            try {
              resolve(JSON.parse(Buffer.concat(chunks).toString()));
            } catch {
              reject(new Error('the answer is no JSON'));
            }
          });
        },
      );
      sent.on('error', (error) =>
        reject(
          error.name === 'TimeoutError' || error.name === 'AbortError' ? new Error('context deadline exceeded') : error,
        ),
      );
      sent.end(payload);
    });
