/** The certificates of a PEM bundle; what cannot be parsed is skipped. */
import { createHash, X509Certificate } from 'node:crypto';
import { memoize } from '../../../machinery/api/memoize.ts';

const pemBlocks = (bundle: string): string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];

export const certificatesIn = memoize(1000, (bundle): X509Certificate[] =>
  pemBlocks(bundle).flatMap((certificate) => {
    try {
      return [new X509Certificate(certificate)];
    } catch {
      return [];
    }
  }),
);

/** The CA hashes that a joining host accepts: one per certificate, of its public key. */
export const publicKeyHashes = memoize(1000, (bundle): string[] =>
  certificatesIn(bundle).map(({ publicKey }) => {
    const key = publicKey.export({ type: 'spki', format: 'der' });
    return `sha256:${createHash('sha256').update(key).digest('hex')}`;
  }),
);
