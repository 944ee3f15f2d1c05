/** A server certificate for tests of clients, with the authority that they must trust. */
import { createAuthority, issue, type Pem } from '../adapters/pki/certificates.ts';

export interface ServerCertificate {
  authority: Pem;
  /** As Node's servers take it. */
  options: { cert: string; key: string };
}

export const serverCertificate = (sans: string[] = ['127.0.0.1']): ServerCertificate => {
  const valid = { days: 1, now: Date.now(), algorithm: 'ECDSA-P256' } as const;
  const authority = createAuthority({ subject: { commonName: 'a' }, ...valid });
  const { certificate: cert, key } = issue({
    subject: { commonName: 's' },
    sans,
    usages: ['server'],
    ca: authority,
    ...valid,
  });
  return { authority, options: { cert, key } };
};
