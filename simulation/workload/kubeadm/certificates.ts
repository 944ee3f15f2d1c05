/**
 * The files under /etc/kubernetes/pki that kubeadm starts from, and the certificates that it
 * issues.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { GuestPki, Pem } from '../pki.ts';
import type { ApiServerRecord } from '../records.ts';
import type { ClusterConfig } from './cluster-config.ts';

/** An error with kubeadm's message, which ends the command. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

export interface Authorities {
  ca: Pem;
  etcd: Pem;
}

const load = (files: Map<string, string>, path: string, name: string): Pem | undefined => {
  const certificate = files.get(`${path}.crt`);
  const key = files.get(`${path}.key`);
  if (certificate === undefined && key === undefined) return undefined;
  const missing = certificate === undefined ? `${path}.crt` : key === undefined ? `${path}.key` : undefined;
  if (missing)
    throw new CertificateError(
      `failure loading ${name} certificate authority: open ${missing}: no such file or directory`,
    );
  let matches: boolean;
  try {
    const parsed = new X509Certificate(certificate!);
    matches = parsed.ca && parsed.checkPrivateKey(createPrivateKey(key!));
  } catch (error) {
    throw new CertificateError(
      `failure loading ${name} certificate: couldn't load the certificate file ${path}.crt: ${String(error)}`,
    );
  }
  if (!matches)
    throw new CertificateError(
      `failure loading ${name} certificate: the certificate and its private key do not belong to one certificate authority`,
    );
  return { certificate: certificate!, key: key! };
};

/** The CAs in the files, or new ones. `now` in milliseconds. Throws CertificateError. */
export const initAuthorities = (
  files: Map<string, string>,
  cluster: ClusterConfig,
  pki: GuestPki,
  now: number,
): Authorities => {
  const authority = (path: string, commonName: string): Pem =>
    load(files, `${cluster.certificatesDir}/${path}`, commonName) ??
    pki.authority({ commonName, days: cluster.authorityDays, now });
  authority('front-proxy-ca', 'front-proxy-ca');
  return { ca: authority('ca', 'kubernetes'), etcd: authority('etcd/ca', 'etcd-ca') };
};

/** A joining control plane must bring every CA along. Throws CertificateError. */
export const joinAuthorities = (files: Map<string, string>, directory: string): Authorities => {
  const required = (path: string, name: string): Pem => {
    const found = load(files, `${directory}/${path}`, name);
    if (!found)
      throw new CertificateError(
        `failure loading certificate for ${name}: couldn't load the certificate file ${directory}/${path}.crt: open ${directory}/${path}.crt: no such file or directory`,
      );
    return found;
  };
  const ca = required('ca', 'CA');
  for (const name of ['sa.key', 'sa.pub'])
    if (!files.has(`${directory}/${name}`))
      throw new CertificateError(
        `failure loading key for service account: couldn't load the private key file ${directory}/sa.key: open ${directory}/${name}: no such file or directory`,
      );
  required('front-proxy-ca', 'front-proxy CA');
  return { ca, etcd: required('etcd/ca', 'etcd CA') };
};

export interface ServingRequest {
  authorities: Authorities;
  cluster: ClusterConfig;
  nodeName: string;
  advertiseAddress: string;
  port: number;
  now: number;
}

/** The API server of a node, with a certificate for each of its names. */
export const servingApi = (pki: GuestPki, request: ServingRequest): ApiServerRecord => {
  const { authorities, cluster, nodeName, advertiseAddress, port, now } = request;
  const [network = '10.96.0.0'] = cluster.serviceSubnet.split(/[/,]/);
  const endpoint = cluster.controlPlaneEndpoint?.replace(/:\d+$/, '');
  const internal = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${cluster.dnsDomain}`,
  ];
  const names = [
    ...internal,
    nodeName,
    network.replace(/\d+$/, '1'),
    advertiseAddress,
    ...(endpoint ? [endpoint] : []),
    ...cluster.certSANs,
  ];
  const serving = pki.issue({
    commonName: 'kube-apiserver',
    sans: [...new Set(names)],
    usages: ['server'],
    ca: authorities.ca,
    days: cluster.certificateDays,
    now,
  });
  const etcd = pki.issue({
    commonName: nodeName,
    sans: [nodeName, 'localhost', advertiseAddress, '127.0.0.1'],
    usages: ['client', 'server'],
    ca: authorities.etcd,
    days: cluster.certificateDays,
    now,
  });
  return { port, version: cluster.kubernetesVersion!, certificate: serving.certificate, key: serving.key, etcd };
};
