import { createAuthority } from '../../../adapters/pki/index.ts';

/** A pair of an authority in PEM, as a Secret carries it. */
export const authorityPair = () => {
  const now = Date.parse('2026-05-01T00:00:00Z');
  const pair = createAuthority({ subject: { commonName: 'kubernetes' }, days: 3650, algorithm: 'ECDSA-P256', now });
  return { 'tls.crt': pair.certificate, 'tls.key': pair.key };
};
