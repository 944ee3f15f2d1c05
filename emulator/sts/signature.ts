/** Verifies signature version 4 like AWS: in a header, or in the query of a presigned request. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface Signed {
  method: string;
  /** The URL as it was sent, with the query. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export interface Claim {
  accessKeyId: string;
  /** `<date>/<region>/<service>/aws4_request`. */
  scope: string;
  signedHeaders: string[];
  signature: string;
  /** `20261121T080000Z`. */
  date: string;
  token?: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const parts = (credential: string) => {
  const [accessKeyId = '', ...scope] = credential.split('/');
  return { accessKeyId, scope: scope.join('/') };
};

const ofQuery = (query: URLSearchParams): Claim | undefined => {
  if (query.get('X-Amz-Algorithm') !== algorithm) return undefined;
  const token = query.get('X-Amz-Security-Token');
  return {
    ...parts(query.get('X-Amz-Credential') ?? ''),
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
    date: query.get('X-Amz-Date') ?? '',
    ...(token !== null && { token }),
  };
};

const ofHeader = (headers: Record<string, string>): Claim | undefined => {
  const { authorization = '' } = headers;
  if (!authorization.startsWith(`${algorithm} `)) return undefined;
  const field = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(authorization)?.[1] ?? '';
  const token = headers['x-amz-security-token'];
  return {
    ...parts(field('Credential')),
    signedHeaders: field('SignedHeaders').split(';'),
    signature: field('Signature'),
    date: headers['x-amz-date'] ?? '',
    ...(token !== undefined && { token }),
  };
};

/** The claimed access key. */
export const claimOf = ({ url, headers }: Signed): Claim | undefined =>
  ofQuery(new URL(url, 'http://sts').searchParams) ?? ofHeader(headers);

/** Milliseconds since the epoch; NaN for an invalid date. */
export const timeOf = ({ date }: Claim): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** Whether this secret key signed the request. */
export const isSignedBy = (request: Signed, claim: Claim, secretAccessKey: string): boolean => {
  const { pathname, searchParams } = new URL(request.url, 'http://sts');
  const { scope, signedHeaders, date } = claim;
  const lines = signedHeaders.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`);
  const canonical = [
    request.method,
    pathname,
    canonicalQuery(searchParams),
    lines.join(''),
    signedHeaders.join(';'),
    hash(request.body),
  ].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secretAccessKey}`);
  const expected = hmac(key, [algorithm, date, scope, hash(canonical)].join('\n')).toString('hex');
  return (
    expected.length === claim.signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(claim.signature))
  );
};
