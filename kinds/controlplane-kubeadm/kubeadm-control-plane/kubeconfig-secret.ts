/**
 * The administrator's kubeconfig of a cluster with a control plane, which creates, owns and renews
 * it.
 */
import type { Action, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { controllerReference } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import {
  askClientCertificate,
  expiryOf,
  rebuiltEvents,
  renewalOf,
  saveKubeconfig,
} from '../../core/contract/administrator.ts';
import type { KeyPair, Secret } from '../../core/contract/cluster-secrets.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeadmControlPlane } from './index.ts';

export { expiryOf, rebuiltEvents, renewalOf };

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

export const ensureKubeconfig = ({ kcp, cluster, kubeconfig, certificates, administrator }: ControlPlane): Action[] =>
  saveKubeconfig(administrator, {
    owner: controllerReference(kcp),
    cluster,
    kubeconfig,
    ca: certificates.secrets.ca,
  });
