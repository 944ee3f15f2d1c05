/** Parses keys and certificates of other origins; never throws. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Inspection } from '../../kinds/ports/pki.ts';

const parsed = <T>(parse: () => T): T | undefined => {
  try {
    return parse();
  } catch {
    return undefined;
  }
};

const spki = (key: KeyObject | undefined): Buffer | undefined =>
  key && parsed(() => createPublicKey(key).export({ type: 'spki', format: 'der' }));

export const inspect = ({ certificate: text, key }: { certificate: string; key: string }): Inspection => {
  const certificate = parsed(() => new X509Certificate(text));
  // A private key also yields a public one, but a public key is expected here.
  const isPrivate = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
  const publicKey = certificate?.publicKey ?? (isPrivate ? undefined : parsed(() => createPublicKey(text)));
  const privateKey = parsed(() => createPrivateKey(key));
  const [mine, other] = [publicKey?.export({ type: 'spki', format: 'der' }), spki(privateKey)];
  return {
    ...(certificate && {
      certificate: {
        authority: certificate.ca,
        notBefore: certificate.validFromDate.getTime(),
        notAfter: certificate.validToDate.getTime(),
      },
    }),
    publicKey: publicKey !== undefined,
    privateKey: privateKey !== undefined,
    matches: mine !== undefined && other !== undefined && mine.equals(other),
  };
};
