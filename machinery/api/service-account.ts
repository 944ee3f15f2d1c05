/** ServiceAccounts as users, and the Secrets that hold tokens of theirs. Pure. */
import { createHash } from 'node:crypto';
import type { User } from './kind.ts';
import type { KubeObject, ObjectKey } from './object.ts';

export const accountType = 'serviceaccounts';
export const secretType = 'secrets';

/** The ServiceAccount that every namespace has. */
export const defaultAccount = 'default';

/** A ServiceAccount. A later one of the same name has another uid. */
export interface Account extends ObjectKey {
  uid: string;
}

const usernamePrefix = 'system:serviceaccount:';

export const usernameOf = ({ namespace, name }: ObjectKey): string => `${usernamePrefix}${namespace}:${name}`;

/** Undefined for another user. */
export const accountNamed = (username: string): ObjectKey | undefined => {
  const [namespace, name, ...rest] = username.startsWith(usernamePrefix)
    ? username.slice(usernamePrefix.length).split(':')
    : [];
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
};

/** The groups of all ServiceAccounts of a namespace. */
export const groupsIn = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

export const userOf = (account: Account, extra: User['extra'] = {}): User => ({
  username: usernameOf(account),
  uid: account.uid,
  groups: [...groupsIn(account.namespace), 'system:authenticated'],
  ...(Object.keys(extra).length > 0 && { extra }),
});

/** The type of Secrets that the server fills with a token of a ServiceAccount. */
export const tokenSecretType = 'kubernetes.io/service-account-token';
export const accountNameAnnotation = 'kubernetes.io/service-account.name';
export const accountUidAnnotation = 'kubernetes.io/service-account.uid';

export type TokenSecret = KubeObject & { type?: string; data?: Record<string, string> };

export const isTokenSecret = (secret: KubeObject): boolean => (secret as TokenSecret).type === tokenSecretType;

/** Before each token's id in the index of the store. */
export const tokenIdPrefix = 'service-account-token/';

const idOf = (token: string): string => `${tokenIdPrefix}${createHash('sha256').update(token).digest('hex')}`;

/** The id by which the store finds the Secret that holds this token, without decrypting one. */
export const tokenIdOf = (token: string): string => idOf(token);

/** The id of the token in a Secret; undefined for any other Secret. */
export const storedTokenId = (secret: KubeObject): string | undefined => {
  const token = isTokenSecret(secret) ? (secret as TokenSecret).data?.token : undefined;
  return token ? idOf(Buffer.from(token, 'base64').toString('utf8')) : undefined;
};
