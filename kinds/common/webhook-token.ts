/**
 * The Secret with the token that the API servers of a cluster present to the audit webhook. The store
 * indexes it by a digest of the token, so that the webhook verifies a token without reading a Secret.
 * Pure.
 */
import { createHash } from 'node:crypto';
import type { KubeObject } from '../../machinery/api/object.ts';

/** The type of the Secrets that Cluster API creates for a cluster. */
export const clusterSecretType = 'cluster.x-k8s.io/secret';

const ending = '-audit-webhook';

/** Before each token's id in the index; the role of the webhook's function reads no other ids. */
export const tokenIdPrefix = 'audit-webhook/';

export const tokenIdOf = (token: string): string =>
  `${tokenIdPrefix}${createHash('sha256').update(token).digest('hex')}`;

/** The id of the token in a Secret; undefined for any other Secret. */
export const webhookTokenId = (secret: KubeObject): string | undefined => {
  const { type, data } = secret as KubeObject & { type?: string; data?: Record<string, string> };
  if (type !== clusterSecretType || !secret.metadata.name.endsWith(ending) || !data?.token) return undefined;
  return tokenIdOf(Buffer.from(data.token, 'base64').toString('utf8'));
};
