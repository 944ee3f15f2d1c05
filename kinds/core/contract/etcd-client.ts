/** Whom the etcd of a cluster lets in. */
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { askPki } from '../../ports/index.ts';
import type { EtcdAccess } from '../../ports/workload.ts';
import { keyPairOf, type Secret } from './cluster-secrets.ts';

export type EtcdProof = Pick<EtcdAccess, 'caCertificate' | 'clientCertificate' | 'clientKey'>;

/**
 * A client certificate for a day, of the authority in the cluster's Secret for etcd. Undefined when the authority is somebody
 * else's, or while the certificate is being made. `now` in milliseconds since the epoch.
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
