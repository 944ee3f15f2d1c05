/**
 * The certificate authorities of a cluster: read, generated if absent, and written to its control
 * plane hosts.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { memoize } from '../../../machinery/api/memoize.ts';
import type { OwnerReference } from '../../../machinery/api/object.ts';
import { type Action, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import {
  type Authority,
  authorities,
  clusterSecret,
  type KeyPair,
  keyPairOf,
  type Secret,
  secretName,
  secretValue,
} from '../../core/contract/cluster-secrets.ts';
import { keyPairFault } from '../../core/contract/key-pair.ts';
import { askPki } from '../../ports/index.ts';
import type { WriteFile } from './cloud-config.ts';
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

/** Names the Secrets of the purposes, and why the present ones cannot be used. */
export const certificatesMessage = (
  cluster: string,
  { faults }: Certificates,
  purposes: readonly Authority[],
): string => {
  const missing = purposes.filter((purpose) => faults[purpose] === undefined);
  return [
    ...(missing.length > 0
      ? [`Secrets are missing or incomplete: ${missing.map((purpose) => secretName(cluster, purpose)).join(', ')}`]
      : []),
    ...purposes.flatMap((purpose) => {
      const fault = faults[purpose];
      return fault === undefined ? [] : [`Secret ${secretName(cluster, purpose)}: ${fault}`];
    }),
  ].join('. ');
};

const pemBlocks = (bundle: string): string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];

/**
 * The CA hashes that a joining host accepts: one per certificate, of its public key. Unparsable
 * certificates are skipped.
 */
export const publicKeyHashes = memoize(1000, (bundle): string[] =>
  pemBlocks(bundle).flatMap((certificate) => {
    try {
      const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
      return [`sha256:${createHash('sha256').update(key).digest('hex')}`];
    } catch {
      return [];
    }
  }),
);

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
