/** Tokens of ServiceAccounts: JSON Web Tokens that this installation signs, and verifies for as long as the account exists. */
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { User } from '../api/kind.ts';
import { isObject, type ObjectKey } from '../api/object.ts';
import {
  type Account,
  accountNamed,
  accountType,
  secretType,
  tokenIdOf,
  usernameOf,
  userOf,
} from '../api/service-account.ts';
import type { Clock, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import { createVerdicts } from '../verdicts.ts';
import { algorithm, type SigningKeys } from './signing-keys.ts';

/** The audience of this API, as on EKS: it stays the same when the API's URL changes. */
export const ownAudience = 'https://kubernetes.default.svc';
/** The issuer of tokens in Secrets. */
const secretIssuer = 'kubernetes/serviceaccount';
/** Where a User shows the id of the token. */
const credentialId = 'authentication.kubernetes.io/credential-id';
/** Before each claim of a token in a Secret. */
const claimPrefix = 'kubernetes.io/serviceaccount/';

/** Milliseconds for which a verified token stays valid in a process without another look at its account. */
const believed = 10_000;
/** Seconds that the clocks of processes may differ. */
const clockTolerance = 60;

export interface TokenClaims {
  account: Account;
  audiences: readonly string[];
  /** Seconds. */
  lifetime: number;
  /** The token is valid while this Secret exists. */
  secret?: { name: string; uid: string };
}

export interface IssuedToken {
  token: string;
  /** Names the token in audit events. */
  id: string;
  /** Seconds since the epoch. */
  expires: number;
}

export interface VerifiedToken {
  user: User;
  /** Those of the asked ones that the token is for. */
  audiences: string[];
}

export interface AccountTokens {
  issue(claims: TokenClaims): Promise<IssuedToken>;
  /** A token without an end, for the Secret of this name. */
  issueFor(secret: string, account: Account): Promise<string>;
  /** Undefined for a token that is not valid, or that another issuer signed. `audiences`: this API's if empty. */
  verify(token: string, audiences: readonly string[]): Promise<VerifiedToken | undefined>;
  /** Forgets which tokens were valid, because this process has changed an account or a Secret. */
  changed(): void;
}

export interface AccountTokensOptions {
  issuer: string;
  keys: SigningKeys;
  store: Pick<Store, 'get' | 'uid' | 'resourceKeys'>;
  clock: Pick<Clock, 'now'>;
  random: Pick<Random, 'uuid'>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** What a token asserts of its key and issuer; nothing if it is no token. */
const unverified = (token: string): { kid?: string | undefined; iss?: string | undefined } => {
  try {
    return { kid: decodeProtectedHeader(token).kid, iss: decodeJwt(token).iss };
  } catch {
    return {};
  }
};

/** What a token must still find in the store. */
interface Bound {
  account: Account;
  /** Of a token in a Secret: its name. */
  heldBy?: string;
  secret?: { name: string; uid: string };
}

/** Undefined if the claims are not those of a ServiceAccount, or contradict one another. */
const boundOf = (claims: JWTPayload): Bound | undefined => {
  const named = accountNamed(textOf(claims.sub));
  if (!named) return undefined;
  const isNamed = (namespace: unknown, name: unknown) => namespace === named.namespace && name === named.name;
  if (claims.iss === secretIssuer) {
    const claim = (name: string) => textOf(claims[`${claimPrefix}${name}`]);
    const [uid, heldBy] = [claim('service-account.uid'), claim('secret.name')];
    if (!isNamed(claim('namespace'), claim('service-account.name')) || !uid || !heldBy) return undefined;
    return { account: { ...named, uid }, heldBy };
  }
  const { namespace, serviceaccount, secret } = fieldsOf(claims['kubernetes.io']);
  const { name, uid } = fieldsOf(serviceaccount);
  if (!isNamed(namespace, name) || !textOf(uid) || claims.exp === undefined) return undefined;
  const account = { ...named, uid: textOf(uid) };
  if (secret === undefined) return { account };
  const { name: of, uid: secretUid } = fieldsOf(secret);
  return { account, secret: { name: textOf(of), uid: textOf(secretUid) } };
};

const audiencesOf = ({ iss, aud }: JWTPayload): readonly string[] => {
  if (iss === secretIssuer) return [ownAudience];
  return Array.isArray(aud) ? aud : [textOf(aud)];
};

export const createAccountTokens = ({ issuer, keys, store, clock, random }: AccountTokensOptions): AccountTokens => {
  const verdicts = createVerdicts<VerifiedToken | undefined>(clock);

  const sign = async (claims: JWTPayload): Promise<string> => {
    const { id, key } = await keys.signing();
    return new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: id }).sign(key);
  };

  /** The claims of a token that this installation signed, and that has not expired. */
  const signedClaims = async (token: string): Promise<JWTPayload | undefined> => {
    const { kid, iss } = unverified(token);
    const key = kid === undefined ? undefined : await keys.find(kid, iss === issuer);
    if (!key) return undefined;
    try {
      const { payload } = await jwtVerify(token, await importJWK(key.jwk, algorithm), {
        algorithms: [algorithm],
        currentDate: new Date(clock.now()),
        clockTolerance,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };

  const exists = async ({ account, heldBy, secret }: Bound, token: string): Promise<boolean> => {
    const { namespace } = account;
    const isHeld = async () => {
      if (heldBy === undefined) return true;
      const holders = await store.resourceKeys(secretType, tokenIdOf(token));
      return holders.some((holder: ObjectKey) => holder.namespace === namespace && holder.name === heldBy);
    };
    const [stored, uid, held] = await Promise.all([
      store.get(accountType, account),
      secret && store.uid(secretType, { namespace, name: secret.name }),
      isHeld(),
    ]);
    const deleted = stored?.metadata.deletionTimestamp;
    const isLive = deleted === undefined || clock.now() - Date.parse(deleted) < clockTolerance * 1000;
    return stored?.metadata.uid === account.uid && isLive && held && uid === secret?.uid;
  };

  const verify = async (token: string, asked: readonly string[]): Promise<VerifiedToken | undefined> => {
    const claims = await signedClaims(token);
    const bound = claims && boundOf(claims);
    if (!bound) return undefined;
    const audiences = audiencesOf(claims).filter((one) => asked.includes(one));
    if (audiences.length === 0 || !(await exists(bound, token))) return undefined;
    const id = textOf(claims.jti);
    return { user: userOf(bound.account, id ? { [credentialId]: [`JTI=${id}`] } : {}), audiences };
  };

  return {
    issue: async ({ account, audiences, lifetime, secret }) => {
      const [now, id] = [Math.floor(clock.now() / 1000), random.uuid()];
      const { namespace, name, uid } = account;
      const expires = now + lifetime;
      const token = await sign({
        aud: [...audiences],
        exp: expires,
        iat: now,
        iss: issuer,
        jti: id,
        'kubernetes.io': { namespace, ...(secret && { secret }), serviceaccount: { name, uid } },
        nbf: now,
        sub: usernameOf(account),
      });
      return { token, id, expires };
    },
    issueFor: (secret, account) =>
      sign({
        iss: secretIssuer,
        [`${claimPrefix}namespace`]: account.namespace,
        [`${claimPrefix}secret.name`]: secret,
        [`${claimPrefix}service-account.name`]: account.name,
        [`${claimPrefix}service-account.uid`]: account.uid,
        sub: usernameOf(account),
      }),
    verify: (token, audiences) => {
      const asked = audiences.length > 0 ? audiences : [ownAudience, issuer];
      return verdicts.of(`${token} ${asked.join(' ')}`, async () => {
        const verdict = await verify(token, asked);
        return { verdict, until: clock.now() + believed, isGood: verdict !== undefined };
      });
    },
    changed: () => verdicts.clear(),
  };
};
