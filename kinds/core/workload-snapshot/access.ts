/**
 * The Secrets of a Cluster without a control plane object, whose control plane Machines a user
 * creates one by one. No other controller creates its kubeconfig. The first Machine's KubeadmConfig
 * creates the certificate authorities, which must outlive that KubeadmConfig. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type EventDraft, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { controllerOf, isOwnedBy, ownerReference } from '../../common/owners.ts';
import type { Cluster } from '../cluster/schema.ts';
import { askClientCertificate, rebuiltEvents, renewalOf, saveKubeconfig } from '../contract/administrator.ts';
import {
  authorities,
  claimSecrets,
  type KeyPair,
  releaseSecret,
  type Secret,
  secretName,
  secretType,
} from '../contract/cluster-secrets.ts';
import { isInitialized } from '../contract/cluster-status.ts';
import { isDeleting } from '../contract/machines.ts';

/** Seconds; the longest timer that a controller sets. */
const day = 24 * 60 * 60;

export interface Access {
  cluster: Cluster;
  kubeconfig: Read<Secret>;
  authorities: readonly Read<Secret>[];
  ca: Read<Secret>;
  /** A new client certificate; present if one is needed. */
  administrator: KeyPair | undefined;
}

/** Undefined for a Cluster whose control plane object manages its Secrets. */
export const observeAccess = (object: KubeObject, read: Reader, now: number): Access | undefined => {
  const cluster = object as Cluster;
  const { namespace = '', name } = cluster.metadata;
  if (cluster.spec?.controlPlaneRef !== undefined) return undefined;
  const secretOf = (purpose: Parameters<typeof secretName>[1]) =>
    read.get<Secret>('Secret', { namespace, name: secretName(name, purpose) });
  const kubeconfig = secretOf('kubeconfig');
  const ca = secretOf('ca');
  const administrator = isDeleting(cluster)
    ? undefined
    : askClientCertificate(read, { owner: cluster, cluster, kubeconfig, ca }, now);
  return { cluster, kubeconfig, authorities: authorities.map(secretOf), ca, administrator };
};

/**
 * Creates and renews the kubeconfig, and makes the Cluster an owner of all Secrets that a
 * controller created.
 */
export const keepAccess = ({ cluster, kubeconfig, ca, administrator, ...access }: Access): Action[] => {
  const owner = ownerReference(cluster);
  const made = [kubeconfig, ...access.authorities].flatMap((read) => found(read) ?? []);
  return [
    ...saveKubeconfig(administrator, { owner, cluster, kubeconfig, ca }),
    ...claimSecrets(
      made.filter(({ type }) => type === secretType),
      { cluster: cluster.metadata.name, owner, isNew: !isInitialized(cluster) },
    ).map((action) => ({ ...action, group: 'claims' })),
  ];
};

export const eventsOf = ({ cluster, kubeconfig, administrator }: Access): EventDraft[] =>
  rebuiltEvents(found(kubeconfig), cluster, administrator);

/**
 * Deletes the Secrets at teardown, except authorities that a KubeadmConfig controls: it deletes
 * them itself.
 */
export const dropAccess = ({ cluster, kubeconfig, ...access }: Access): Action[] =>
  [kubeconfig, ...access.authorities]
    .flatMap((read) => found(read) ?? [])
    .filter((secret) => secret.type === secretType && isOwnedBy(secret, cluster))
    .filter((secret) => !controllerOf(secret) && !isDeleting(secret))
    .map((secret) => releaseSecret(secret, cluster.metadata));

/** Seconds until the kubeconfig is due for renewal, at most a day. */
export const renewalIn = ({ cluster, kubeconfig }: Access, now: number): number | undefined => {
  const secret = found(kubeconfig);
  const renewal = secret && renewalOf(secret, cluster);
  return renewal === undefined || renewal <= now ? undefined : Math.min(day, Math.ceil((renewal - now) / 1000));
};
