/**
 * The identity providers of users and tools: STS, which checks presigned requests, and an OpenID
 * provider that rotates its keys. The serving functions call both, as on AWS.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { clusterId, encoded, json, parametersAt, sts, urlOf } from '../../../adapters/aws/identity/identity.fixture.ts';
import type { Fetch, IdentityConfig } from '../../../adapters/aws/identity/index.ts';
import type { Clock } from '../../../machinery/ports.ts';

const minute = 60_000;
const hour = 60 * minute;
const issuer = 'https://tokens.example';
const audience = 'capstan';
/** The lifetime of OpenID tokens and of presigned requests. */
const lifetime = hour;
const signedFor = 15 * minute;
/**
 * The provider rotates its key after this time. It publishes the previous key as long again, and
 * the next key in advance.
 */
const keptKey = 2 * hour;
const publishedBefore = 10 * minute;

export const config: IdentityConfig = {
  sts: { clusterId, region: 'eu-central-1' },
  oidc: [{ issuer, audiences: [audience] }],
};
/** The identities of a user with an IAM role, and of a tool. */
export const administratorNames = ['arn:aws:iam::111122223333:role/Admin', `${issuer}#tool`];

/** Random key pairs, created once per process. No decision depends on them. */
let pairs: { publicKey: KeyObject; privateKey: KeyObject }[] | undefined;
const pairOf = (number: number) => {
  pairs ??= [0, 1, 2, 3, 4].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  return pairs[number % pairs.length]!;
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as the provider issues it, or with a foreign signature. */
const tokenOf = (claims: Record<string, unknown>, keyNumber: number, signedBy = keyNumber): string => {
  const text = `${encode({ alg: 'ES256', typ: 'JWT', kid: `key-${keyNumber}` })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: pairOf(signedBy).privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
};

/** The minimum remaining lifetime of a token that a client presents. */
export const leastLeft = 5 * minute;

/** Caches a token for its lifetime, less the time that requests may take. */
const renewed = (clock: Pick<Clock, 'now'>, make: () => string, forMs: number) => {
  let token = '';
  let until = 0;
  return () => {
    if (clock.now() >= until) {
      token = make();
      until = clock.now() + forMs;
    }
    return token;
  };
};

export interface Identities {
  /** The answers of STS and the provider. */
  fetch: Fetch;
  /** A request signed by a user with a role in the account. */
  person(): string;
  /** A token of the OpenID provider. */
  tool(): string;
  /** Invalid tokens, by what is wrong with them. */
  invalidTokens(): Readonly<Record<string, string>>;
  /** A valid token of a user without permissions. */
  guest(): string;
  /** A user with a role in the account, and the revocation of the user's access key. */
  leaver(): { token: string; leave: () => void };
}

export const createIdentities = (clock: Pick<Clock, 'now'>): Identities => {
  const keyNumber = (inMs = 0) => Math.floor((clock.now() + inMs) / keptKey);
  const seconds = () => Math.floor(clock.now() / 1000);
  const claimsOf = (sub: string) => ({
    iss: issuer,
    aud: audience,
    sub,
    iat: seconds(),
    exp: seconds() + lifetime / 1000,
  });
  const signed = (cluster?: string) => encoded(urlOf(parametersAt(clock.now()), undefined, cluster));
  const keyOf = (credential: string | null | undefined) => credential?.split('/')[0] ?? '';
  const ended = new Set<string>();
  let leavers = 0;
  const published = () =>
    [...new Set([keyNumber() - 1, keyNumber(), keyNumber(publishedBefore)])].map((number) => ({
      ...pairOf(number).publicKey.export({ format: 'jwk' }),
      kid: `key-${number}`,
      use: 'sig',
    }));

  return {
    fetch: async (address, { headers }) => {
      const url = new URL(address);
      if (ended.has(keyOf(url.searchParams.get('X-Amz-Credential'))))
        return json({ Error: { Code: 'InvalidClientTokenId', Message: 'no', Type: 'Sender' } }, 403);
      if (!address.startsWith(issuer)) return sts(url, headers);
      if (url.pathname === '/.well-known/openid-configuration') return json({ issuer, jwks_uri: `${issuer}/keys` });
      return url.pathname === '/keys' ? json({ keys: published() }) : json({}, 404);
    },
    person: renewed(clock, signed, signedFor - leastLeft),
    tool: renewed(clock, () => tokenOf(claimsOf('tool'), keyNumber()), lifetime - leastLeft),
    guest: () => tokenOf(claimsOf('guest'), keyNumber()),
    leaver: () => {
      const parameters = parametersAt(clock.now());
      const key = `ASIALEAVER${String(leavers++).padStart(10, '0')}`;
      const [, ...scope] = parameters['X-Amz-Credential']!.split('/');
      const token = encoded(urlOf({ ...parameters, 'X-Amz-Credential': [key, ...scope].join('/') }));
      return { token, leave: () => void ended.add(key) };
    },
    invalidTokens: () => {
      const claims = claimsOf('tool');
      const past = seconds() - 2 * (lifetime / 1000);
      return {
        'no token': '',
        'an expired token': tokenOf({ ...claims, iat: past, exp: past + lifetime / 1000 }, keyNumber()),
        'a token that is not valid yet': tokenOf({ ...claims, nbf: seconds() + lifetime / 1000 }, keyNumber()),
        'a token for another audience': tokenOf({ ...claims, aud: 'another' }, keyNumber()),
        'a token of another issuer': tokenOf({ ...claims, iss: 'https://elsewhere.example' }, keyNumber()),
        'a token that another key signed': tokenOf(claims, keyNumber(), keyNumber() + 2),
        'a token with an unknown key': tokenOf(claims, keyNumber() + 2),
        'a token without an expiry': tokenOf({ ...claims, exp: undefined }, keyNumber()),
        'a request that was signed for another cluster': signed('another'),
        'a request that was signed long ago': encoded(urlOf(parametersAt(clock.now() - 2 * lifetime))),
      };
    },
  };
};
