/** Tokens as callers create them, and a recording clock, log and network. */
import { createHash, createHmac } from 'node:crypto';
import { type VirtualClock, virtualClock } from '../../memory/virtual-clock.ts';
import type { Fetch } from './ask.ts';
import type { IdentityPorts } from './sts.ts';

export const start = Date.UTC(2026, 0, 2, 3, 4, 5);
export const clusterId = 'capstan-test';
export const accessKeyId = 'AKIDEXAMPLEEXAMPLE';
const secretAccessKey = 'a secret key';

export const encoded = (url: string): string => `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;

/** In the form `20260102T030405Z`. */
export const stamp = (time: number): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');

export type Parameters = Record<string, string>;
export const parametersAt = (time: number, region = 'eu-central-1'): Parameters => ({
  Action: 'GetCallerIdentity',
  Version: '2011-06-15',
  'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
  'X-Amz-Credential': `${accessKeyId}/${stamp(time).slice(0, 8)}/${region}/sts/aws4_request`,
  'X-Amz-Date': stamp(time),
  'X-Amz-Expires': '60',
  'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
});

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The signature of a presigned GET. */
export const signatureOf = (parameters: Parameters, host: string, cluster: string): string => {
  const query = Object.entries(parameters)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const request = ['GET', '/', query, `host:${host}\nx-k8s-aws-id:${cluster}\n`, 'host;x-k8s-aws-id', sha256('')];
  const [, ...scope] = parameters['X-Amz-Credential']!.split('/');
  const toSign = ['AWS4-HMAC-SHA256', parameters['X-Amz-Date'], scope.join('/'), sha256(request.join('\n'))];
  const key = scope.reduce<string | Buffer>((above, part) => hmac(above, part), `AWS4${secretAccessKey}`);
  return hmac(key, toSign.join('\n')).toString('hex');
};

export const urlOf = (parameters: Parameters, host = 'sts.eu-central-1.amazonaws.com', cluster = clusterId): string => {
  const all = { ...parameters, 'X-Amz-Signature': signatureOf(parameters, host, cluster) };
  return `https://${host}/?${Object.entries(all)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
};

export interface Net extends IdentityPorts {
  clock: VirtualClock;
  asked: { url: string; headers: Record<string, string> }[];
  logged: string[];
}

/** Calls `answer` with each request; an error that it throws is a network error. */
export const net = (answer: (url: URL, headers: Record<string, string>) => Response | Promise<Response>): Net => {
  const [asked, logged]: [Net['asked'], string[]] = [[], []];
  const fetch: Fetch = async (url, { headers }) => {
    asked.push({ url, headers });
    return answer(new URL(url), headers);
  };
  const write = (message: string, keys?: Record<string, unknown>) => void logged.push(JSON.stringify([message, keys]));
  return { fetch, clock: virtualClock(start), log: { info: write, error: write }, asked, logged };
};

export const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });

export const caller = (
  Arn = 'arn:aws:sts::111122223333:assumed-role/Admin/ann',
  Account = Arn.split(':')[4]!,
): Response =>
  json({ GetCallerIdentityResponse: { GetCallerIdentityResult: { Arn, Account, UserId: 'AROAEXAMPLE:ann' } } });

/** STS, for GetCallerIdentity requests. */
export const sts = (url: URL, headers: Record<string, string>): Response => {
  const parameters = Object.fromEntries(url.searchParams);
  const expected = signatureOf(parameters, url.host, headers['x-k8s-aws-id'] ?? '');
  return parameters['X-Amz-Signature'] === expected
    ? caller()
    : json({ Error: { Code: 'SignatureDoesNotMatch', Message: 'no', Type: 'Sender' } }, 403);
};

export const bearing = (token: string): Request =>
  new Request('https://capstan.example/api', { headers: { authorization: `Bearer ${token}` } });
