/**
 * The administrator's kubeconfig: created once there is an endpoint, renewed half a year before it
 * expires. Pure.
 */
import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { memoize } from '../../../machinery/api/memoize.ts';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
import { type Action, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy, patchAsObserved } from '../../common/owners.ts';
import { askPki } from '../../ports/index.ts';
import type { KeyAlgorithm } from '../../ports/pki.ts';
import type { Cluster } from '../cluster/schema.ts';
import { clusterSecret, type KeyPair, keyPairOf, type Secret, secretName, secretValue } from './cluster-secrets.ts';
import { serverOf } from './cluster-status.ts';
import { adminKubeconfig } from './kubeconfig.ts';

const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
/** How long before its expiry a certificate is renewed. */
const renewalMs = (validDays / 2) * dayMs;

interface Parsed {
  clusters?: { cluster?: Record<string, string> }[];
  users?: { user?: Record<string, string> }[];
}

const readable = <V>(read: () => V | undefined): V | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/**
 * When the client certificate in a kubeconfig expires, in milliseconds; undefined if it has no
 * readable certificate.
 */
export const expiryOf = memoize(1000, (kubeconfig) =>
  readable((): number | undefined => {
    const data = (parse(kubeconfig) as Parsed).users?.[0]?.user?.['client-certificate-data'];
    return data ? Date.parse(new X509Certificate(Buffer.from(data, 'base64')).validTo) : undefined;
  }),
);

/** The certificates in PEM that a kubeconfig trusts; undefined if it names none. */
export const trustedBy = memoize(1000, (kubeconfig) =>
  readable((): string | undefined => {
    const data = (parse(kubeconfig) as Parsed).clusters?.[0]?.cluster?.['certificate-authority-data'];
    return data ? Buffer.from(data, 'base64').toString('utf8') : undefined;
  }),
);

/**
 * When the kubeconfig is due for renewal, in milliseconds; undefined if `owner` does not own it.
 */
export const renewalOf = (secret: Secret, owner: KubeObject): number | undefined => {
  const expiry = expiryOf(secretValue(secret, 'value') ?? '');
  return expiry === undefined || !isOwnedBy(secret, owner) ? undefined : expiry - renewalMs;
};

export interface AdministratorInput {
  /** The owner of the kubeconfig. */
  owner: KubeObject;
  cluster: Cluster;
  kubeconfig: Read<Secret>;
  ca: Read<Secret>;
  algorithm?: KeyAlgorithm;
}

/**
 * Requests a new client certificate only if the kubeconfig is definitely absent or due for renewal.
 */
export const askClientCertificate = (
  read: Reader,
  { owner, cluster, kubeconfig, ca, algorithm = 'RSA-2048' }: AdministratorInput,
  now: number,
): KeyPair | undefined => {
  const authority = keyPairOf(found(ca));
  const present = found(kubeconfig);
  const due = present ? (renewalOf(present, owner) ?? Number.POSITIVE_INFINITY) <= now : kubeconfig.state === 'absent';
  if (!authority || !due || !serverOf(cluster)) return undefined;
  return found(
    askPki(read, 'clientCertificate', {
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
      days: validDays,
      algorithm,
      caCertificate: authority.certificate,
      caKey: authority.key,
      now,
    }),
  );
};

/** Creates the kubeconfig Secret, or patches the new certificate into the existing one. */
export const saveKubeconfig = (
  administrator: KeyPair | undefined,
  { owner, cluster, kubeconfig, ca }: Omit<AdministratorInput, 'owner' | 'algorithm'> & { owner: OwnerReference },
): Action[] => {
  const authority = keyPairOf(found(ca));
  const endpoint = serverOf(cluster);
  if (!administrator || !authority || !endpoint) return [];
  const { name, namespace = '' } = cluster.metadata;
  const server = `https://${endpoint}`;
  const value = adminKubeconfig({ cluster: name, server, caCertificate: authority.certificate, ...administrator });
  const secret = clusterSecret({
    namespace,
    name: secretName(name, 'kubeconfig'),
    cluster: name,
    owner,
    values: { value },
  });
  const present = found(kubeconfig);
  return [present ? patchAsObserved(present, { data: secret.data }) : { do: 'create', object: secret }];
};
