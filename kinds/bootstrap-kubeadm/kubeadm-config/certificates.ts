/**
 * The certificate authorities of a cluster: read, generated if absent, and written to its control
 * plane hosts.
 */
import type { OwnerReference } from '../../../machinery/api/object.ts';
import { type Action, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { faultOfKubeconfig, trustedBy } from '../../core/contract/administrator.ts';
import { publicKeyHashes } from '../../core/contract/certificate-bundle.ts';
import {
  type Authority,
  authorities,
  clusterSecret,
  isControllers,
  type KeyPair,
  keyPairOf,
  type Secret,
  secretName,
  secretValue,
} from '../../core/contract/cluster-secrets.ts';
import { askPki } from '../../ports/index.ts';
import type { WriteFile } from './cloud-config.ts';
import { keyPairFault } from './key-pair.ts';
import type { ClusterConfiguration } from './schema.ts';

const defaultDays = 3650;
const commonNames: Record<Exclude<Authority, 'sa'>, string> = {
  ca: 'kubernetes',
  etcd: 'etcd-ca',
  proxy: 'front-proxy-ca',
};

export interface CertificatesInput {
  namespace: string;
  cluster: string;
  configuration: ClusterConfiguration | undefined;
  /** Generates authorities that are definitely absent. */
  generate: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Certificates {
  secrets: Record<Authority, Read<Secret>>;
  /** New authorities in place of the absent ones. */
  generated: Partial<Record<Authority, KeyPair>>;
  /** Why the present ones cannot be used. */
  faults: Partial<Record<Authority, string>>;
  /** The hosts of the cluster trust another authority. */
  isReplaced?: true;
}

const generate = (read: Reader, purpose: Authority, input: CertificatesInput): KeyPair | undefined => {
  const { configuration, now } = input;
  const algorithm = configuration?.encryptionAlgorithm ?? 'RSA-2048';
  if (purpose === 'sa') {
    const pair = found(askPki(read, 'keyPair', { algorithm }));
    return pair && { certificate: pair.publicKey, key: pair.privateKey };
  }
  const days = configuration?.caCertificateValidityPeriodDays ?? defaultDays;
  return found(askPki(read, 'authority', { commonName: commonNames[purpose], days, algorithm, now }));
};

/** A pair that cannot be inspected counts as usable. */
const faultOf = (read: Reader, purpose: Authority, secret: Secret | undefined, now: number): string | undefined => {
  const pair = keyPairOf(secret);
  const inspection = pair && found(askPki(read, 'inspect', pair));
  return inspection && keyPairFault(purpose, inspection, now);
};

export const observeCertificates = (read: Reader, input: CertificatesInput): Certificates => {
  const { namespace, cluster, now } = input;
  const secrets = {} as Record<Authority, Read<Secret>>;
  const generated: Certificates['generated'] = {};
  const faults: Certificates['faults'] = {};
  for (const purpose of authorities) {
    secrets[purpose] = read.get<Secret>('Secret', { namespace, name: secretName(cluster, purpose) });
    const made = input.generate && secrets[purpose].state === 'absent' ? generate(read, purpose, input) : undefined;
    if (made) generated[purpose] = made;
    const fault = faultOf(read, purpose, found(secrets[purpose]), now);
    if (fault !== undefined) faults[purpose] = fault;
  }
  return { secrets, generated, faults };
};

/** Creates the Secrets of the generated authorities. */
export const createCertificates = (
  { generated }: Certificates,
  { namespace, cluster }: Pick<CertificatesInput, 'namespace' | 'cluster'>,
  owner: OwnerReference,
): Action[] =>
  authorities.flatMap((purpose): Action[] => {
    const made = generated[purpose];
    if (!made) return [];
    const values = { 'tls.crt': made.certificate, 'tls.key': made.key };
    return [
      {
        do: 'create',
        object: clusterSecret({ namespace, name: secretName(cluster, purpose), cluster, owner, values }),
      },
    ];
  });

/** Purposes without a usable certificate and key; an unread Secret counts as missing. */
export const missingCertificates = ({ secrets, faults }: Certificates): Authority[] =>
  authorities.filter((purpose) => !keyPairOf(found(secrets[purpose])) || faults[purpose] !== undefined);

/** What is wrong with the Secret of a purpose. */
const troubleOf = (purpose: Authority, { secrets, faults }: Certificates): string => {
  const read = secrets[purpose];
  const fault = faults[purpose];
  if (fault !== undefined) return `: ${fault}`;
  if (read.state === 'absent') return ' does not exist with tls.crt and tls.key';
  if (read.state === 'unreadable') return ` could not be read: ${read.reason}`;
  const missing = ['tls.crt', 'tls.key'].filter((key) => !secretValue(found(read), key));
  return ` lacks ${missing.join(' and ')}`;
};

/**
 * Why authorities that a user provides cannot be used, with what to do. Absent ones are generated, and the CA of
 * an external etcd signs nothing here.
 */
export const unusableCertificates = (
  { namespace, cluster, configuration }: Pick<CertificatesInput, 'namespace' | 'cluster' | 'configuration'>,
  { secrets, faults }: Certificates,
): string[] =>
  authorities.flatMap((purpose) => {
    const secret = found(secrets[purpose]);
    if (!secret || (purpose === 'etcd' && configuration?.etcd?.external)) return [];
    const name = `Secret ${namespace}/${secretName(cluster, purpose)}`;
    const missing = ['tls.crt', 'tls.key'].filter((key) => !secretValue(secret, key));
    if (missing.length > 0)
      return [`${name} lacks ${missing.join(' and ')}: add it, or delete the Secret so that a new one is made`];
    const fault = faults[purpose];
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });

/** Names the Secrets of the purposes, and why they cannot be used. */
export const certificatesMessage = (
  cluster: string,
  certificates: Certificates,
  purposes: readonly Authority[],
): string =>
  purposes.map((purpose) => `Secret ${secretName(cluster, purpose)}${troubleOf(purpose, certificates)}`).join('. ');

/** Whether the authority is another one than that with which the cluster's kubeconfig was made. */
const isReplaced = (authority: Secret | undefined, kubeconfig: Secret | undefined): boolean => {
  const value = secretValue(kubeconfig, 'value') ?? '';
  // A damaged kubeconfig, or one of the user's, proves nothing about the authority.
  if (!kubeconfig || !isControllers(kubeconfig) || faultOfKubeconfig(value) !== undefined) return false;
  const trusted = publicKeyHashes(trustedBy(value) ?? '');
  const present = publicKeyHashes(secretValue(authority, 'tls.crt') ?? '');
  return trusted.length > 0 && present.length > 0 && !present.some((hash) => trusted.includes(hash));
};

/**
 * Judges an authority that replaced the one with which the kubeconfig was made: hosts and clients
 * do not trust it.
 */
export const withReplacedAuthority = (certificates: Certificates, kubeconfig: Secret | undefined): Certificates => {
  const { secrets, faults } = certificates;
  if (!isReplaced(found(secrets.ca), kubeconfig)) return certificates;
  const ca = `it is not the authority that Secret ${kubeconfig?.metadata.name} trusts: put that one back`;
  return { ...certificates, faults: { ...faults, ca: faults.ca ?? ca }, isReplaced: true };
};

const filesOf: Record<Authority, [certificate: string, key: string]> = {
  ca: ['ca.crt', 'ca.key'],
  etcd: ['etcd/ca.crt', 'etcd/ca.key'],
  proxy: ['front-proxy-ca.crt', 'front-proxy-ca.key'],
  sa: ['sa.pub', 'sa.key'],
};

/** The files from which kubeadm derives all other certificates of a control plane host. */
export const certificateFiles = ({ secrets }: Certificates, directory = '/etc/kubernetes/pki'): WriteFile[] =>
  authorities.flatMap((purpose): WriteFile[] => {
    const secret = found(secrets[purpose]);
    const [certificate, key] = filesOf[purpose];
    const file = (name: string, permissions: string, content: string | undefined): WriteFile[] =>
      content ? [{ path: `${directory}/${name}`, owner: 'root:root', permissions, content }] : [];
    return [
      ...file(certificate, '0640', secretValue(secret, 'tls.crt')),
      ...file(key, '0600', secretValue(secret, 'tls.key')),
    ];
  });
