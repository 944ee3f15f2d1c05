/** The Secrets of a cluster, under the names that Cluster API tools expect. */
import { memoize, memoizeFrozen } from '../../../machinery/api/memoize.ts';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { deletionOf, hasReference, ownersOf, patchAsObserved, withController, withOwner } from '../../common/owners.ts';
import { clusterSecretType } from '../../common/webhook-token.ts';

export type Secret = KubeObject & { type?: string; data?: Record<string, string> };

export const secretType = clusterSecretType;

export const authorities = ['ca', 'etcd', 'proxy', 'sa'] as const;
export type Authority = (typeof authorities)[number];
/** The reason of a control plane's CertificatesAvailable when the user gave an authority that cannot be used. */
export const unusableAuthority = 'Unusable';
export const secretName = (cluster: string, purpose: Authority | 'kubeconfig' | 'audit-webhook'): string =>
  `${cluster}-${purpose}`;

/** Returns the same string for the same Secret, so that caches keyed by a kubeconfig hit. */
const inClear = memoizeFrozen(({ data }: Secret) =>
  memoize(20, (key): string | undefined => {
    const value = data?.[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
  }),
);
/** A decoded value; undefined if the key is missing. */
export const secretValue = (secret: Secret | undefined, key: string): string | undefined =>
  secret && inClear(secret)(key);

export interface KeyPair {
  certificate: string;
  key: string;
}
/** A certificate and its key; for service accounts, a public and a private key. */
export const keyPairOf = (secret: Secret | undefined): KeyPair | undefined => {
  const certificate = secretValue(secret, 'tls.crt');
  const key = secretValue(secret, 'tls.key');
  return certificate && key ? { certificate, key } : undefined;
};

interface SecretInput {
  namespace: string;
  name: string;
  cluster: string;
  owner: OwnerReference;
  values: Record<string, string>;
}
export const clusterSecret = ({ namespace, name, cluster, owner, values }: SecretInput): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name, labels: { [labels.cluster]: cluster }, ownerReferences: [owner] },
  type: secretType,
  data: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  ),
});

/** On a Secret that existed before its owner, such as an authority of the user's own: a teardown keeps it. */
export const adoptedAnnotation = 'capstan.dev/adopted';

/** Whether a controller made the Secret, and not a user. */
export const isControllers = (secret: Secret): boolean =>
  secret.type === secretType &&
  ownersOf(secret).length > 0 &&
  secret.metadata.annotations?.[adoptedAnnotation] === undefined;

/**
 * Adds the owner reference and label of a cluster's Secrets where they are missing. `isNew`: the
 * cluster is being created, so that a Secret without owners is the user's and has not lost them.
 */
export const claimSecrets = (
  secrets: readonly Secret[],
  { cluster, owner, isNew = false }: Pick<SecretInput, 'cluster' | 'owner'> & { isNew?: boolean },
): Action[] =>
  secrets
    .filter((secret) => !hasReference(secret, owner) || secret.metadata.labels?.[labels.cluster] !== cluster)
    .map((secret) => {
      const ownerReferences = owner.controller ? withController(secret, owner) : withOwner(secret, owner);
      const annotations = isNew && ownersOf(secret).length === 0 && { annotations: { [adoptedAnnotation]: 'true' } };
      return patchAsObserved(secret, {
        metadata: { labels: { [labels.cluster]: cluster }, ownerReferences, ...annotations },
      });
    });

/** Deletes a cluster's Secret at a teardown; an adopted one loses the owner and stays. */
export const releaseSecret = (secret: Secret, { uid: owner }: { uid?: string }): Action => {
  if (secret.metadata.annotations?.[adoptedAnnotation] === undefined) return deletionOf(secret);
  const ownerReferences = ownersOf(secret).filter(({ uid }) => uid !== owner);
  const annotations = ownerReferences.length === 0 && { annotations: { [adoptedAnnotation]: null } };
  return patchAsObserved(secret, { metadata: { ownerReferences, ...annotations } });
};
