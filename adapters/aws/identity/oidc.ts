/** Identities that an OpenID provider vouches for. */
import type { User } from '../../../machinery/api/kind.ts';
import { createAsk } from './ask.ts';
import { type Algorithm, algorithms, type Claims, decodeJwt, isSignedBy, type Jwt, refusalOf } from './jwt.ts';
import { createKeySet } from './key-set.ts';
import type { IdentityPorts, Verify } from './sts.ts';

export interface OidcConfig {
  /** An https address; exactly what tokens say. */
  issuer: string;
  /** One of them must be among a token's. */
  audiences: readonly string[];
  /** RS256 and ES256 when absent. */
  algorithms?: readonly Algorithm[];
  /** Where the keys are, when the issuer's own document does not say or cannot be reached. */
  jwksUri?: string;
  /** `sub` when absent. */
  usernameClaim?: string;
  /** `<issuer>#` when absent, as Kubernetes has it. */
  usernamePrefix?: string;
  /** No groups are taken when absent. */
  groupsClaim?: string;
  groupsPrefix?: string;
}

const checkConfig = ({ issuer, audiences, jwksUri }: OidcConfig): void => {
  for (const address of [issuer, jwksUri ?? issuer])
    if (!/^https:\/\/[^\s?#@]+$/.test(address))
      throw new Error(`${JSON.stringify(address)} is no https address of an issuer`);
  if (audiences.length === 0) throw new Error(`the issuer ${issuer} needs an audience`);
};

/** Names that are given by others than an OpenID provider. */
const isReserved = (name: string): boolean => /^(system:|arn:)/i.test(name);

const groupsOf = (claims: Claims, { groupsClaim, groupsPrefix = '' }: OidcConfig): string[] => {
  const claim = groupsClaim !== undefined && Object.hasOwn(claims, groupsClaim) ? claims[groupsClaim] : [];
  const named = (Array.isArray(claim) ? claim : [claim]).filter((group) => typeof group === 'string' && group !== '');
  return named.map((group) => `${groupsPrefix}${group}`).filter((group) => !isReserved(group));
};

/** Undefined when the claim is missing, not verified, or names somebody else's kind of identity. */
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
    // Nobody is asked for keys on behalf of a token that would be refused anyway.
    if (ofClaims !== undefined) return ofClaims;
    const candidates = (await keys.find(jwt.keyId)).filter((key) => key.algorithm === jwt.algorithm);
    if (candidates.length === 0) return 'its key is not known';
    return candidates.some((key) => isSignedBy(jwt, key)) ? undefined : 'its signature is wrong';
  };

  return async (token) => {
    const decoded = decodeJwt(token, allowed);
    const because = 'refused' in decoded ? decoded.refused : await refusal(decoded.jwt);
    const user = because === undefined && 'jwt' in decoded ? userOf(decoded.jwt.claims, config) : undefined;
    if (!user) log.info('Token refused', { issuer, because: because ?? 'it names nobody' });
    return user;
  };
};
