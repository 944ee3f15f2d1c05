/** The certificates of a cluster, as kubeadm creates them. */
import { createAuthority, generateKey, issue, type Pem, privatePem, publicPem } from '../../adapters/pki/index.ts';

export interface ServingOptions {
  name: string;
  names?: string[];
  organizations?: string[];
  days?: number;
}

export const authority = (commonName: string): Pem =>
  createAuthority({ subject: { commonName }, days: 10, algorithm: 'ECDSA-P256', now: Date.now() });

export const certify = (
  ca: Pem,
  usages: ('server' | 'client')[],
  { name, names = [], organizations, days = 1 }: ServingOptions,
): Pem =>
  issue({
    subject: { commonName: name, ...(organizations && { organizations }) },
    ...(names.length > 0 && { sans: names }),
    usages,
    ca,
    days,
    now: Date.now(),
    algorithm: 'ECDSA-P256',
  });

export const createAuthorities = () => ({
  cluster: authority('kubernetes'),
  etcd: authority('etcd-ca'),
  kubelet: authority('kubelet-ca'),
});
export type Authorities = ReturnType<typeof createAuthorities>;

export const serviceAccountKeys = () => {
  const key = generateKey('ECDSA-P256');
  return { publicKey: publicPem(key), privateKey: privatePem(key) };
};
