/** Secrets of the type `kubernetes.io/service-account-token`: the server fills in what they lack. */
import { invalid } from '../api/errors.ts';
import type { FieldError } from '../api/kind.ts';
import type { KubeObject, OwnerReference } from '../api/object.ts';
import { accountNameAnnotation, accountType, accountUidAnnotation, type TokenSecret } from '../api/service-account.ts';
import type { Store } from '../store/store.ts';
import type { AccountTokens } from './tokens.ts';

export interface TokenSecretPorts {
  tokens: AccountTokens;
  store: Pick<Store, 'uid'>;
  /** PEM; absent where clients know the authority of the API's certificate anyway. */
  certificateAuthority?: string | undefined;
}

const refusal = (name: string, annotation: string, value: string, detail: string) => {
  const error: FieldError = {
    reason: 'FieldValueInvalid',
    field: `metadata.annotations[${annotation}]`,
    value,
    detail,
  };
  return invalid({ group: '', kind: 'Secret' }, name, [error]);
};

/** The garbage collector deletes the Secret with its account. */
const owned = (owners: readonly OwnerReference[] = [], name: string, uid: string): OwnerReference[] => [
  ...owners.filter((owner) => owner.uid !== uid),
  { apiVersion: 'v1', kind: 'ServiceAccount', name, uid },
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The Secret with a token of its account. An account that does not exist is a fault. */
export const withToken = async (
  { tokens, store, certificateAuthority }: TokenSecretPorts,
  secret: TokenSecret,
): Promise<KubeObject> => {
  const { metadata, data = {} } = secret;
  const { name, namespace = '', annotations = {} } = metadata;
  const account = annotations[accountNameAnnotation];
  // Validation refuses it.
  if (!account) return secret;
  const uid = await store.uid(accountType, { namespace, name: account });
  if (uid === undefined) throw refusal(name, accountNameAnnotation, account, 'the ServiceAccount does not exist');
  const given = annotations[accountUidAnnotation];
  if (given && given !== uid)
    throw refusal(name, accountUidAnnotation, given, `the ServiceAccount ${account} has another uid`);
  const token = data.token || base64(await tokens.issueFor(name, { namespace, name: account, uid }));
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: { ...annotations, [accountUidAnnotation]: uid },
      ownerReferences: owned(metadata.ownerReferences, account, uid),
    },
    data: {
      ...data,
      token,
      namespace: data.namespace || base64(namespace),
      ...(certificateAuthority && { 'ca.crt': base64(certificateAuthority) }),
    },
  } as TokenSecret;
};
