/** JSON Web Tokens: parsing, signatures and claims, without I/O. */
import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { isObject } from '../../../machinery/api/object.ts';

export type Algorithm = 'RS256' | 'ES256';
export const algorithms: readonly Algorithm[] = ['RS256', 'ES256'];

export type Claims = Record<string, unknown>;
export interface Jwt {
  algorithm: Algorithm;
  keyId: string | undefined;
  claims: Claims;
  signed: Buffer;
  signature: Buffer;
}
export type Decoded = { jwt: Jwt } | { refused: string };

const longestToken = 16_384;

const bytesOf = (part: string): Buffer | undefined => {
  const bytes = Buffer.from(part, 'base64url');
  return /^[A-Za-z0-9_-]+$/.test(part) && bytes.toString('base64url') === part ? bytes : undefined;
};
const objectOf = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

export const decodeJwt = (token: string, allowed: readonly Algorithm[] = algorithms): Decoded => {
  if (token.length > longestToken) return { refused: 'it is too long' };
  const parts = token.split('.');
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3) return { refused: 'it is no JWT' };
  const [header, claims, bytes] = [objectOf(head), objectOf(body), bytesOf(signature)];
  if (!header || !claims || !bytes) return { refused: 'it is no JWT' };
  const algorithm = allowed.find((each) => each === header.alg);
  if (!algorithm) return { refused: 'its algorithm is not allowed' };
  // Keys and key URLs in a header are untrusted and ignored.
  if ('crit' in header || 'b64' in header) return { refused: 'it asks for extensions' };
  if (header.typ !== undefined && String(header.typ).toUpperCase() !== 'JWT')
    return { refused: 'it is of another type' };
  if (header.kid !== undefined && typeof header.kid !== 'string') return { refused: 'its key id is no text' };
  const signed = Buffer.from(`${head}.${body}`, 'ascii');
  return { jwt: { algorithm, keyId: header.kid, claims, signed, signature: bytes } };
};

export interface VerifyingKey {
  id: string | undefined;
  algorithm: Algorithm;
  key: KeyObject;
}

const leastModulus = 2048;

/** Undefined for keys of other purposes, weak keys and unsupported algorithms. */
export const verifyingKey = (jwk: unknown): VerifyingKey | undefined => {
  if (!isObject(jwk)) return undefined;
  const { kty, kid, use, alg, key_ops: operations, crv } = jwk;
  const algorithm = kty === 'RSA' ? 'RS256' : kty === 'EC' && crv === 'P-256' ? 'ES256' : undefined;
  if (!algorithm || (use !== undefined && use !== 'sig') || (alg !== undefined && alg !== algorithm)) return undefined;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return undefined;
  try {
    // Only public parameters, whatever else the issuer published.
    const { n, e, x, y } = jwk as Record<string, string>;
    const part = algorithm === 'RS256' ? { kty: 'RSA', n, e } : { kty: 'EC', crv: 'P-256', x, y };
    const key = createPublicKey({ key: part as JsonWebKey, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    if (algorithm === 'RS256' && (bits === undefined || bits < leastModulus)) return undefined;
    return { id: typeof kid === 'string' ? kid : undefined, algorithm, key };
  } catch {
    return undefined;
  }
};

export const isSignedBy = ({ algorithm, signed, signature }: Jwt, { algorithm: of, key }: VerifyingKey): boolean => {
  if (algorithm !== of) return false;
  const how =
    algorithm === 'RS256' ? { key, padding: constants.RSA_PKCS1_PADDING } : { key, dsaEncoding: 'ieee-p1363' as const };
  return verify('sha256', signed, how, signature);
};

export interface ClaimRules {
  issuer: string;
  audiences: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** Seconds of permitted clock skew. */
const skew = 60;

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Why the claims are rejected; undefined if they are accepted. */
export const refusalOf = ({ iss, aud, exp, nbf, iat, sub }: Claims, rules: ClaimRules): string | undefined => {
  const now = rules.now / 1000;
  if (iss !== rules.issuer) return 'it is of another issuer';
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((each) => typeof each === 'string' && rules.audiences.includes(each)))
    return 'it is for another audience';
  if (!isTime(exp)) return 'it does not say when it expires';
  if (now >= exp + skew) return 'it has expired';
  if (nbf !== undefined && !(isTime(nbf) && nbf - skew <= now)) return 'it is not valid yet';
  if (iat !== undefined && !(isTime(iat) && iat - skew <= now)) return 'it is from the future: a clock is wrong';
  if (typeof sub !== 'string' || sub === '') return 'it has no subject';
  return undefined;
};
