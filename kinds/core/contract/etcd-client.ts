/** Client certificates for a workload cluster's etcd. */
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { askPki } from '../../ports/index.ts';
import type { EtcdAccess } from '../../ports/workload.ts';
import { keyPairOf, type Secret } from './cluster-secrets.ts';

export type EtcdProof = Pick<EtcdAccess, 'caCertificate' | 'clientCertificate' | 'clientKey'>;

/**
 * A client certificate valid for a day, signed by the CA in the cluster's etcd Secret. Undefined if
 * the Secret lacks the CA's key (an external CA), or while the certificate is being signed. `now`
 * in milliseconds since the epoch.
 */
export const etcdProof = (
  authority: Secret | undefined,
  commonName: string,
  read: Reader,
  now: number,
): EtcdProof | undefined => {
  const ca = keyPairOf(authority);
  if (!ca) return undefined;
  const client = found(
    askPki(read, 'clientCertificate', {
      commonName,
      organizations: [],
      days: 1,
      algorithm: 'ECDSA-P256',
      caCertificate: ca.certificate,
      caKey: ca.key,
      now,
    }),
  );
  return client && { caCertificate: ca.certificate, clientCertificate: client.certificate, clientKey: client.key };
};
