/** What a Secret is for. Each process may decrypt only the purposes that it needs. Pure. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { clusterSecretType } from './webhook-token.ts';

/**
 * `authorities`: keys with which a cluster's authorities sign. `access`: credentials of its API, and links to its
 * snapshots. `bootstrap`: user data of machines, with the tokens by which they join. `others`: Secrets of users.
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
  if (ofAccess.test(name)) return 'access';
  if (type !== clusterSecretType) return 'others';
  // The controllers' own: user data has one key for all of it, links have others.
  return data.value === undefined ? 'access' : 'bootstrap';
};
