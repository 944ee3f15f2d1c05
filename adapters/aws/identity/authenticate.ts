/** Authenticates a request by its bearer token. */
import type { User } from '../../../machinery/api/kind.ts';
import { addressOf } from '../../../machinery/server/client-limits.ts';
import { createOidcVerify, type OidcConfig } from './oidc.ts';
import { tokenPrefix } from './presigned.ts';
import { createStsVerify, type IdentityPorts, type StsConfig, type Verify } from './sts.ts';

/** An absent provider is disabled. */
export interface IdentityConfig {
  sts?: StsConfig;
  oidc?: readonly OidcConfig[];
}

/** Undefined without a valid token. */
export type Authenticate = (request: Request) => Promise<User | undefined>;

/** Undefined without a token, or with more than one. */
const bearerOf = (request: Request): string | undefined =>
  /^Bearer +([\x21-\x2b\x2d-\x7e]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** The token's unverified claim, which only selects the verifier. */
const issuerOf = (token: string): unknown => {
  try {
    return (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss?: unknown }).iss;
  } catch {
    return undefined;
  }
};

export const createAuthenticate = ({ sts, oidc = [] }: IdentityConfig, ports: IdentityPorts): Authenticate => {
  const bySts = sts && createStsVerify(sts, ports);
  const byIssuer = new Map<unknown, Verify>(oidc.map((config) => [config.issuer, createOidcVerify(config, ports)]));
  if (byIssuer.size < oidc.length) throw new Error('an issuer is configured twice');
  return async (request) => {
    const token = bearerOf(request);
    if (token === undefined) return undefined;
    if (token.startsWith(tokenPrefix)) return bySts?.(token, addressOf(request));
    return byIssuer.get(issuerOf(token))?.(token);
  };
};
