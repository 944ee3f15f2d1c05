/** Client certificates for a workload cluster's etcd. */
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { askPki } from '../../ports/index.ts';
import type { EtcdAccess } from '../../ports/workload.ts';
import { keyPairOf, type Secret } from './cluster-secrets.ts';

export type EtcdProof = Pick<EtcdAccess, 'caCertificate' | 'clientCertificate' | 'clientKey'>;

/**
 * A client certificate valid for a day, signed by the CA in the cluster's etcd Secret. Absent if the
 * Secret lacks the CA's key (an external CA). `now` in milliseconds since the epoch.
 */
export const etcdProof = (
  authority: Secret | undefined,
  commonName: string,
  read: Reader,
  now: number,
): Read<EtcdProof> => {
  const ca = keyPairOf(authority);
  if (!ca) return { state: 'absent' };
  const client = askPki(read, 'clientCertificate', {
    commonName,
    organizations: [],
    days: 1,
    algorithm: 'ECDSA-P256',
    caCertificate: ca.certificate,
    caKey: ca.key,
    now,
  });
  if (client.state !== 'found') return client;
  const { certificate, key } = client.value;
  return { state: 'found', value: { caCertificate: ca.certificate, clientCertificate: certificate, clientKey: key } };
};
