/** What kinds ask of cryptography: random by nature, so it is read through a port like any other fact of the world. */

export type KeyAlgorithm = 'RSA-2048' | 'RSA-3072' | 'RSA-4096' | 'ECDSA-P256' | 'ECDSA-P384';

export interface PkiReads {
  /** A new self-signed CA. PEM. `now` in milliseconds. */
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
}

export interface Pki {
  read<R extends keyof PkiReads>(operation: R, input: PkiReads[R][0]): Promise<PkiReads[R][1]>;
}
