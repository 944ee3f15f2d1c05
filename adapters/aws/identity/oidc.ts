/** Identities of an OpenID provider. */
import type { User } from '../../../machinery/api/kind.ts';
import { createAsk } from './ask.ts';
import { type Algorithm, algorithms, type Claims, decodeJwt, isSignedBy, type Jwt, refusalOf } from './jwt.ts';
import { createKeySet } from './key-set.ts';
import type { IdentityPorts, Verify } from './sts.ts';

export interface OidcConfig {
  /** An https URL, equal to the `iss` claim. */
  issuer: string;
  /** A token must name at least one of them. */
  audiences: readonly string[];
  /** RS256 and ES256 by default. */
  algorithms?: readonly Algorithm[];
  /** The keys' URL, for an issuer whose discovery document lacks it or is unreachable. */
  jwksUri?: string;
  /** `sub` by default. */
  usernameClaim?: string;
  /** `<issuer>#` by default, as in Kubernetes. */
  usernamePrefix?: string;
  /** No groups by default. */
  groupsClaim?: string;
  groupsPrefix?: string;
}

const checkConfig = ({ issuer, audiences, jwksUri }: OidcConfig): void => {
  for (const address of [issuer, jwksUri ?? issuer])
    if (!/^https:\/\/[^\s?#@]+$/.test(address))
      throw new Error(`${JSON.stringify(address)} is no https address of an issuer`);
  if (audiences.length === 0) throw new Error(`the issuer ${issuer} needs an audience`);
};

/** Prefixes that an OpenID provider must not assert. */
const isReserved = (name: string): boolean => /^(system:|capstan:|arn:)/i.test(name);

const groupsOf = (claims: Claims, { groupsClaim, groupsPrefix = '' }: OidcConfig): string[] => {
  const claim = groupsClaim !== undefined && Object.hasOwn(claims, groupsClaim) ? claims[groupsClaim] : [];
  const named = (Array.isArray(claim) ? claim : [claim]).filter((group) => typeof group === 'string' && group !== '');
  return named.map((group) => `${groupsPrefix}${group}`).filter((group) => !isReserved(group));
};

/** Undefined if the claim is missing, unverified or has a reserved prefix. */
const userOf = (claims: Claims, config: OidcConfig): User | undefined => {
  const { issuer, usernameClaim = 'sub', usernamePrefix = `${issuer}#` } = config;
  const name = Object.hasOwn(claims, usernameClaim) ? claims[usernameClaim] : undefined;
  if (typeof name !== 'string' || name === '') return undefined;
  if (usernameClaim === 'email' && claims.email_verified !== undefined && claims.email_verified !== true)
    return undefined;
  const username = `${usernamePrefix}${name}`;
  if (isReserved(username)) return undefined;
  return { username, uid: String(claims.sub), groups: [...groupsOf(claims, config), 'system:authenticated'] };
};

export const createOidcVerify = (config: OidcConfig, { fetch, clock, log }: IdentityPorts): Verify => {
  checkConfig(config);
  const { issuer, audiences, jwksUri, algorithms: allowed = algorithms } = config;
  const ask = createAsk({ fetch, whom: `the issuer ${issuer}` });
  const keys = createKeySet({ issuer, ask, clock, ...(jwksUri !== undefined && { jwksUri }) });

  const refusal = async (jwt: Jwt): Promise<string | undefined> => {
    const ofClaims = refusalOf(jwt.claims, { issuer, audiences, now: clock.now() });
    // Do not fetch keys for a token that is rejected anyway.
    if (ofClaims !== undefined) return ofClaims;
    const candidates = (await keys.find(jwt.keyId)).filter((key) => key.algorithm === jwt.algorithm);
    if (candidates.length === 0) return 'its key is not known';
    return candidates.some((key) => isSignedBy(jwt, key)) ? undefined : 'its signature is wrong';
  };

  return async (token) => {
    const decoded = decodeJwt(token, allowed);
    const because = 'refused' in decoded ? decoded.refused : await refusal(decoded.jwt);
    const user = because === undefined && 'jwt' in decoded ? userOf(decoded.jwt.claims, config) : undefined;
    if (!user) log.info('Token refused', { issuer, because: because ?? 'it names no user' });
    return user;
  };
};
