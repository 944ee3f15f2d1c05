/**
 * Cryptography port. Its results are random, so kinds read them through a port like other external
 * facts.
 */

import { asks } from './port.ts';
export type KeyAlgorithm = 'RSA-2048' | 'RSA-3072' | 'RSA-4096' | 'ECDSA-P256' | 'ECDSA-P384';

export interface PkiReads {
  /** A new self-signed CA in PEM. `now` in milliseconds. */
  authority: [
    { commonName: string; days: number; algorithm: KeyAlgorithm; now: number },
    { certificate: string; key: string },
  ];
  /** A new key pair without a certificate (service-account keys). PEM. */
  keyPair: [{ algorithm: KeyAlgorithm }, { publicKey: string; privateKey: string }];
  /** A new key and a client certificate signed by the given CA. PEM. */
  clientCertificate: [
    {
      commonName: string;
      organizations: string[];
      days: number;
      algorithm: KeyAlgorithm;
      caCertificate: string;
      caKey: string;
      now: number;
    },
    { certificate: string; key: string },
  ];
  /**
   * Inspects two PEM texts: a certificate or a public key, and the private key that may belong to
   * it.
   */
  inspect: [{ certificate: string; key: string }, Inspection];
}

export type Inspection = {
  /** Absent when the first text is no certificate. Times in milliseconds. */
  certificate?: { authority: boolean; notBefore: number; notAfter: number };
  /** The first text holds a public key, alone or in a certificate. */
  publicKey: boolean;
  privateKey: boolean;
  /** The private key belongs to the public key. */
  matches: boolean;
};

export interface Pki {
  read<R extends keyof PkiReads>(operation: R, input: PkiReads[R][0]): Promise<PkiReads[R][1]>;
}

export const askPki = asks<PkiReads>('pki');
