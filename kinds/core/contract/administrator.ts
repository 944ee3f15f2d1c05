/**
 * The administrator's kubeconfig: created once there is an endpoint, renewed half a year before it
 * expires. Pure.
 */
import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { memoize } from '../../../machinery/api/memoize.ts';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
import { type Action, type EventDraft, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy, patchAsObserved } from '../../common/owners.ts';
import { askPki } from '../../ports/index.ts';
import { connectionOf } from '../../ports/kubeconfig.ts';
import type { KeyAlgorithm } from '../../ports/pki.ts';
import type { Connection } from '../../ports/transport.ts';
import type { Cluster } from '../cluster/schema.ts';
import { certificatesIn } from './certificate-bundle.ts';
import {
  adoptedAnnotation,
  clusterSecret,
  type KeyPair,
  keyPairOf,
  type Secret,
  secretName,
  secretValue,
} from './cluster-secrets.ts';
import { serverOf } from './cluster-status.ts';
import { adminKubeconfig } from './kubeconfig.ts';

const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
/** How long before its expiry a certificate is renewed. */
const renewalMs = (validDays / 2) * dayMs;

const readable = <V>(read: () => V | undefined): V | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const connectionIn = (kubeconfig: string): Connection | undefined => readable(() => connectionOf(kubeconfig));

const clientIn = (connection: Connection | undefined): X509Certificate | undefined =>
  certificatesIn(connection?.clientCertificate ?? '')[0];

/**
 * When the client certificate in a kubeconfig expires, in milliseconds; undefined if it has no
 * readable certificate.
 */
export const expiryOf = (kubeconfig: string): number | undefined => {
  const certificate = clientIn(connectionIn(kubeconfig));
  return certificate && Date.parse(certificate.validTo);
};

/** The certificates in PEM that a kubeconfig trusts; undefined if it names none. */
export const trustedBy = (kubeconfig: string): string | undefined => connectionIn(kubeconfig)?.caCertificate;

const faultOfClient = ({ caCertificate, clientCertificate, clientKey, token }: Connection): string | undefined => {
  if (clientCertificate === undefined) return token ? undefined : 'it names no client';
  const certificate = certificatesIn(clientCertificate)[0];
  if (!certificate) return 'client-certificate-data is not a certificate in PEM';
  const isPair = readable(() => certificate.checkPrivateKey(createPrivateKey(clientKey ?? '')));
  if (!isPair) return 'client-key-data is not the key of client-certificate-data';
  return caCertificate && !certificatesIn(caCertificate).some(({ publicKey }) => certificate.verify(publicKey))
    ? 'the authority that it trusts did not sign its client certificate'
    : undefined;
};

/** Why no client can use a kubeconfig that a controller made; undefined if one can. */
export const faultOfKubeconfig = memoize(1000, (kubeconfig): string | undefined => {
  if (kubeconfig === '') return 'it is empty';
  try {
    return faultOfClient(connectionOf(kubeconfig));
  } catch (error) {
    return (error as Error).message;
  }
});

/** A user's kubeconfig is reported and left alone. */
const faultOfOwn = (secret: Secret, owner: KubeObject): string | undefined =>
  isOwnedBy(secret, owner) && secret.metadata.annotations?.[adoptedAnnotation] === undefined
    ? faultOfKubeconfig(secretValue(secret, 'value') ?? '')
    : undefined;

/**
 * When the kubeconfig is due for renewal, in milliseconds, which is at once for one that no client can
 * use; undefined if `owner` does not own it.
 */
export const renewalOf = (secret: Secret, owner: KubeObject): number | undefined => {
  if (faultOfOwn(secret, owner) !== undefined) return 0;
  const expiry = expiryOf(secretValue(secret, 'value') ?? '');
  return expiry === undefined || !isOwnedBy(secret, owner) ? undefined : expiry - renewalMs;
};

/** The Event for a kubeconfig that `renewed` replaces because no client could use it. */
export const rebuiltEvents = (
  kubeconfig: Secret | undefined,
  owner: KubeObject,
  renewed: KeyPair | undefined,
): EventDraft[] => {
  const fault = kubeconfig && renewed && faultOfOwn(kubeconfig, owner);
  return fault === undefined
    ? []
    : [{ type: 'Warning', reason: 'KubeconfigRebuilt', message: `Secret ${kubeconfig?.metadata.name}: ${fault}` }];
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
