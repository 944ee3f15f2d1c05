/** The administrator's kubeconfig: made once there is an endpoint, renewed when half a year is left. */
import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { lately } from '../../machinery/api/lately.ts';
import { type Action, found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import { controllerReference, isOwnedBy, patchAsObserved } from '../common/owners.ts';
import { endpointOf } from '../kubeadm-config/cluster-facts.ts';
import { adminKubeconfig } from '../kubeadm-config/kubeconfig.ts';
import {
  clusterSecret,
  type KeyPair,
  keyPairOf,
  type Secret,
  secretName,
  secretValue,
} from '../kubeadm-config/secrets.ts';
import { askPki } from '../ports/index.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeadmControlPlane } from './index.ts';

const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
/** How long before its end a certificate is renewed. */
const renewalMs = (validDays / 2) * dayMs;

/** When the client certificate in a kubeconfig ends, in milliseconds; undefined when there is none to be read. */
export const expiryOf = lately(1000, (kubeconfig): number | undefined => {
  try {
    const { users } = parse(kubeconfig) as { users?: { user?: Record<string, string> }[] };
    const data = users?.[0]?.user?.['client-certificate-data'];
    return data ? Date.parse(new X509Certificate(Buffer.from(data, 'base64')).validTo) : undefined;
  } catch {
    return undefined;
  }
});

/** When it is due to be renewed, in milliseconds; undefined for one that is not ours. */
export const renewalOf = (secret: Secret, kcp: KubeadmControlPlane): number | undefined => {
  const expiry = expiryOf(secretValue(secret, 'value') ?? '');
  return expiry === undefined || !isOwnedBy(secret, kcp) ? undefined : expiry - renewalMs;
};

/** A new client certificate, asked for only when the kubeconfig is definitely absent or due. */
export const askAdministrator = (
  read: Reader,
  {
    kcp,
    cluster,
    kubeconfig,
    ca,
  }: { kcp: KubeadmControlPlane; cluster: Cluster; kubeconfig: Read<Secret>; ca: Read<Secret> },
  now: number,
): KeyPair | undefined => {
  const authority = keyPairOf(found(ca));
  const present = found(kubeconfig);
  const due = present ? (renewalOf(present, kcp) ?? Number.POSITIVE_INFINITY) <= now : kubeconfig.state === 'absent';
  if (!authority || !due || !endpointOf(cluster)) return undefined;
  return found(
    askPki(read, 'clientCertificate', {
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
      days: validDays,
      algorithm: kcp.spec?.kubeadmConfigSpec?.clusterConfiguration?.encryptionAlgorithm ?? 'RSA-2048',
      caCertificate: authority.certificate,
      caKey: authority.key,
      now,
    }),
  );
};

export const ensureKubeconfig = (controlPlane: ControlPlane): Action[] => {
  const { kcp, cluster, kubeconfig, certificates, administrator } = controlPlane;
  const ca = keyPairOf(found(certificates.secrets.ca));
  const endpoint = endpointOf(cluster);
  if (!administrator || !ca || !endpoint) return [];
  const { name } = cluster.metadata;
  const secret = clusterSecret({
    namespace: kcp.metadata.namespace ?? '',
    name: secretName(name, 'kubeconfig'),
    cluster: name,
    owner: controllerReference(kcp),
    values: {
      value: adminKubeconfig({
        cluster: name,
        server: `https://${endpoint}`,
        caCertificate: ca.certificate,
        ...administrator,
      }),
    },
  });
  const present = found(kubeconfig);
  return [present ? patchAsObserved(present, { data: secret.data }) : { do: 'create', object: secret }];
};
