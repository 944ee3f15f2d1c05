/**
 * Tokens in the form of `aws eks get-token`: a presigned STS request in base64url. The server sends the
 * request of any client, so it rebuilds the request from its known parts.
 */

export interface Presigned {
  /** The request's URL; the signed header carries the cluster id. */
  url: string;
  accessKeyId: string;
  /** The signing time in milliseconds since the epoch. */
  signed: number;
}
export type Parsed = { presigned: Presigned } | { refused: string };

export interface PresignedRules {
  /** Permitted hosts and their signing regions. */
  hosts: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  now: number;
}

export const tokenPrefix = 'k8s-aws-v1.';
const longestToken = 4096;
/** Milliseconds for which STS accepts a signature, whatever the request says. */
export const lifetime = 15 * 60_000;
/** Milliseconds of permitted clock skew. */
const skew = 5 * 60_000;
/** Seconds. */
const longestExpiry = 900;
/** The last signed header, which binds a token to one cluster. */
export const clusterHeader = 'x-k8s-aws-id';

const required = {
  Action: /^GetCallerIdentity$/,
  Version: /^2011-06-15$/,
  'X-Amz-Algorithm': /^AWS4-HMAC-SHA256$/,
  'X-Amz-Credential': /^[A-Z0-9]{16,128}\/\d{8}\/[a-z0-9-]+\/sts\/aws4_request$/,
  'X-Amz-Date': /^\d{8}T\d{6}Z$/,
  'X-Amz-Expires': /^\d{1,4}$/,
  'X-Amz-SignedHeaders': new RegExp(`^host;${clusterHeader}$`),
  'X-Amz-Signature': /^[0-9a-f]{64}$/,
} as const satisfies Record<string, RegExp>;
const optional = { 'X-Amz-Security-Token': /^[A-Za-z0-9+/=_-]{1,3500}$/ } as const;
const allowed: Record<string, RegExp> = { ...required, ...optional };

const decoded = (text: string): string | undefined => {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // A canonical encoding: the last character has no spare bits.
  if (bytes.toString('base64url') !== text) return undefined;
  const url = bytes.toString('latin1');
  return /^[\x21-\x7e]+$/.test(url) ? url : undefined;
};

const component = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Undefined if a parameter is unknown, duplicated, malformed or missing. */
const parametersOf = (query: string): Map<string, string> | undefined => {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    if (at < 0) return undefined;
    const [name, value] = [pair.slice(0, at), component(pair.slice(at + 1))];
    const form = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (!form || value === undefined || parameters.has(name) || !form.test(value)) return undefined;
    parameters.set(name, value);
  }
  return Object.keys(required).every((name) => parameters.has(name)) ? parameters : undefined;
};

/** Parses `20260102T030405Z`; undefined for an invalid date. */
const timeOf = (text: string): number | undefined => {
  const iso = text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = Date.parse(iso);
  return Number.isNaN(time) || new Date(time).toISOString() !== iso ? undefined : time;
};

const rebuilt = (host: string, parameters: Map<string, string>): string => {
  const query = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `https://${host}/?${query.join('&')}`;
};

/** The parsed request, or the reason of the rejection, which contains no part of the token. */
export const parsePresigned = (token: string, { hosts, now }: PresignedRules): Parsed => {
  if (token.length > longestToken) return { refused: 'it is too long' };
  if (!token.startsWith(tokenPrefix)) return { refused: 'it has another prefix' };
  const url = decoded(token.slice(tokenPrefix.length));
  if (url === undefined) return { refused: 'it is not the base64url of a URL' };
  const [, host = '', query = ''] = /^https:\/\/([a-z0-9.-]+)\/\?([^#?]*)$/.exec(url) ?? [];
  const region = hosts.get(host);
  if (region === undefined) return { refused: 'it does not lead to an endpoint of STS' };
  const parameters = parametersOf(query);
  if (!parameters) return { refused: 'its parameters are not those of a presigned GetCallerIdentity' };
  const given = (name: keyof typeof required): string => parameters.get(name)!;
  if (Number(given('X-Amz-Expires')) > longestExpiry) return { refused: 'it expires too late' };
  const [accessKeyId = '', day, signedFor] = given('X-Amz-Credential').split('/');
  if (signedFor !== region) return { refused: 'it is signed for another region than it leads to' };
  const signed = timeOf(given('X-Amz-Date'));
  if (signed === undefined || day !== given('X-Amz-Date').slice(0, 8)) return { refused: 'its date is none' };
  if (now > signed + lifetime) return { refused: 'it has expired' };
  if (signed > now + skew) return { refused: 'it is from the future: a clock is wrong' };
  return { presigned: { url: rebuilt(host, parameters), accessKeyId, signed } };
};
