/**
 * Requests over HTTPS to what users name, with the certificates that they name. Follows no redirect,
 * and reaches no address of the host itself or of its cloud's metadata.
 */
import { lookup as lookupByDns } from 'node:dns';
import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface HttpsRequest {
  to: URL;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Buffer;
  /** PEM, in place of the authorities that Node trusts. */
  ca?: string | Buffer | (string | Buffer)[];
  serverName?: string;
  agent?: Agent;
}

export interface HttpsLimits {
  /** Milliseconds for the whole request. */
  timeout: number;
  /** Bytes of an answer. */
  longest: number;
  /** Whether the host itself may answer, as it does in development. */
  allowsLocal: boolean;
  /** What sends the requests, in messages. */
  sender: string;
}

export interface HttpsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The answer has more bytes than the limit. */
export class AnswerTooLong extends Error {}

const isForbidden = (address: string): boolean =>
  ['loopback', 'linkLocal', 'unspecified', 'multicast', 'broadcast'].includes(ipaddr.process(address).range());

/** Resolves as DNS does, but never to a forbidden address. */
const guardedLookup =
  (sender: string): LookupFunction =>
  (hostname, options, done) =>
    lookupByDns(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const bad = addresses.find(({ address }) => isForbidden(address));
      if (bad) return done(new Error(`${hostname} is ${bad.address}, which ${sender} may not use`), '', 0);
      if (options.all) return done(null, addresses);
      done(null, addresses[0]!.address, addresses[0]!.family);
    });

/** Answers with any status; rejects if there is no whole answer within the limits. */
export const requestOverHttps = (
  { to, method, headers = {}, body, ca, serverName, agent }: HttpsRequest,
  { timeout, longest, allowsLocal, sender }: HttpsLimits,
): Promise<HttpsAnswer> =>
  new Promise((resolve, reject) => {
    const host = to.hostname.replace(/^\[|\]$/g, '');
    if (!allowsLocal && ipaddr.isValid(host) && isForbidden(host))
      return reject(new Error(`${sender} may not use the address ${host}`));
    const sent = request(
      to,
      {
        method,
        headers: { ...headers, ...(body && { 'Content-Length': body.length }) },
        timeout,
        signal: AbortSignal.timeout(timeout),
        ...(ca && { ca }),
        ...(serverName && { servername: serverName }),
        ...(agent && { agent }),
        ...(!allowsLocal && { lookup: guardedLookup(sender) }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size <= longest) return;
          // An error of the request is thrown by its socket if the answer has already ended.
          reject(new AnswerTooLong(`the answer is longer than ${longest} bytes`));
          response.destroy();
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
