/** The Pki port on this machine's own cryptography. */
import type { Pki, PkiReads } from '../../kinds/ports/pki.ts';
import { createAuthority, generateKey, issue, privatePem, publicPem } from './certificates.ts';

export * from './certificates.ts';

type Reads = { [R in keyof PkiReads]: (input: PkiReads[R][0]) => PkiReads[R][1] };

const reads: Reads = {
  authority: ({ commonName, days, algorithm, now }) =>
    createAuthority({ subject: { commonName }, days, algorithm, now }),
  keyPair: ({ algorithm }) => {
    const key = generateKey(algorithm);
    return { publicKey: publicPem(key), privateKey: privatePem(key) };
  },
  clientCertificate: ({ commonName, organizations, days, algorithm, caCertificate, caKey, now }) =>
    issue({
      subject: { commonName, organizations },
      usages: ['client'],
      ca: { certificate: caCertificate, key: caKey },
      days,
      now,
      algorithm,
    }),
};

export const localPki = (): Pki => ({
  read: async (operation, input) => reads[operation](input),
});
