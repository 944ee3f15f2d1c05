/**
 * The administrator's kubeconfig of a cluster with a control plane, which creates, owns and renews
 * it.
 */
import { type Action, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { type Certificates, publicKeyHashes } from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import { controllerReference, isOwnedBy } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import {
  askClientCertificate,
  expiryOf,
  renewalOf,
  saveKubeconfig,
  trustedBy,
} from '../../core/contract/administrator.ts';
import { type KeyPair, type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeadmControlPlane } from './index.ts';

export { expiryOf, renewalOf };

/**
 * Requests a new client certificate only if the kubeconfig is definitely absent or due for renewal.
 */
export const askAdministrator = (
  read: Reader,
  { kcp, ...of }: { kcp: KubeadmControlPlane; cluster: Cluster; kubeconfig: Read<Secret>; ca: Read<Secret> },
  now: number,
): KeyPair | undefined => {
  const algorithm = kcp.spec?.kubeadmConfigSpec?.clusterConfiguration?.encryptionAlgorithm;
  return askClientCertificate(read, { owner: kcp, ...of, ...(algorithm && { algorithm }) }, now);
};

/**
 * Judges an authority that replaced the one with which the kubeconfig was made: hosts and clients
 * do not trust it.
 */
export const withReplacedAuthority = (
  certificates: Certificates,
  kubeconfig: Secret | undefined,
  kcp: KubeadmControlPlane,
): Certificates => {
  const { secrets, faults } = certificates;
  if (!kubeconfig || faults.ca !== undefined || !isOwnedBy(kubeconfig, kcp)) return certificates;
  const trusted = publicKeyHashes(trustedBy(secretValue(kubeconfig, 'value') ?? '') ?? '');
  const present = publicKeyHashes(secretValue(found(secrets.ca), 'tls.crt') ?? '');
  if (trusted.length === 0 || present.length === 0 || present.some((hash) => trusted.includes(hash)))
    return certificates;
  const { name } = kubeconfig.metadata;
  const ca = `it is not the authority that Secret ${name} trusts: put that one back`;
  return { ...certificates, faults: { ...faults, ca } };
};

export const ensureKubeconfig = ({ kcp, cluster, kubeconfig, certificates, administrator }: ControlPlane): Action[] =>
  saveKubeconfig(administrator, {
    owner: controllerReference(kcp),
    cluster,
    kubeconfig,
    ca: certificates.secrets.ca,
  });
