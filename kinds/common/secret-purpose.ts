/** What a Secret is for. Each process may decrypt only the purposes that it needs. Pure. */

import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import { isTokenSecret } from '../../machinery/api/service-account.ts';
import { clusterSecretType } from './webhook-token.ts';

/**
 * `authorities`: keys with which a cluster's authorities sign. `access`: credentials of its API and of
 * this one, and links to its snapshots. `bootstrap`: user data of machines, with the tokens by which they join. `others`: Secrets of users.
 */
export const secretPurposes = ['authorities', 'access', 'bootstrap', 'others'] as const;
export type SecretPurpose = (typeof secretPurposes)[number];

const ofAuthority = /-(ca|etcd|proxy|sa|apiserver-etcd-client)$/;
const ofAccess = /-(kubeconfig|audit-webhook)$/;

/** Whether a Secret of this name may hold what those that act on the account must not read. */
export const isWithheldName = (name: string): boolean => ofAuthority.test(name) || ofAccess.test(name);

export const secretPurpose = (secret: KubeObject): SecretPurpose => {
  const { type, data = {}, metadata } = secret as KubeObject & { type?: string; data?: Record<string, string> };
  const { name, ownerReferences = [] } = metadata;
  if (ofAuthority.test(name) && data['tls.key'] !== undefined) return 'authorities';
  if (ownerReferences.some(({ kind }) => kind === 'KubeadmConfig')) return 'bootstrap';
  if (ofAccess.test(name) || isTokenSecret(secret)) return 'access';
  if (type !== clusterSecretType) return 'others';
  // The controllers' own: user data has one key for all of it, links have others.
  return data.value === undefined ? 'access' : 'bootstrap';
};

/** What the index of a cluster tells of its Secrets to those that cannot decrypt them. */
export type SecretDigest = JsonObject & {
  /** Absent in what a version without this digest wrote. */
  name?: string;
  /** The apiVersion of the owner that controls it. */
  controller?: string;
};
export const secretDigest = ({ metadata: { name, ownerReferences = [] } }: KubeObject): SecretDigest => {
  const controller = ownerReferences.find((owner) => owner.controller)?.apiVersion;
  return { name, ...(controller !== undefined && { controller }) };
};
