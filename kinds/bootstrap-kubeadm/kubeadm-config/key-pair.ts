/** What makes a certificate and its key unusable. Pure. */

import type { Authority } from '../../core/contract/cluster-secrets.ts';
import type { Inspection } from '../../ports/pki.ts';

const day = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * Why the pair of a Secret cannot serve its purpose, with what to do; undefined if it can. `now` in
 * milliseconds.
 */
export const keyPairFault = (
  purpose: Authority,
  { certificate, publicKey, privateKey, matches }: Inspection,
  now: number,
): string | undefined => {
  const wants = purpose === 'sa' ? 'a public key' : 'a certificate';
  if (purpose === 'sa' ? !publicKey : !certificate) return `tls.crt is not ${wants} in PEM`;
  if (!privateKey) return 'tls.key is not a private key in PEM without a passphrase';
  if (!matches) return 'tls.key is not the key of tls.crt: put a pair that belongs together';
  if (!certificate || purpose === 'sa') return undefined;
  if (!certificate.authority)
    return 'the certificate in tls.crt is not that of an authority (CA:TRUE): issue one that is';
  if (certificate.notAfter <= now) return `the certificate in tls.crt ended on ${day(certificate.notAfter)}: renew it`;
  return certificate.notBefore > now
    ? `the certificate in tls.crt begins only on ${day(certificate.notBefore)}: issue it anew`
    : undefined;
};
