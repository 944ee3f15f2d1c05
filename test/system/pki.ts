/** The Pki port with elliptic keys whatever is asked for: a hundred RSA keys would be most of the time of these tests. */
import { localPki } from '../../adapters/pki/index.ts';
import type { Pki } from '../../kinds/ports/pki.ts';

export const quickPki = (): Pki => {
  const pki = localPki();
  return { read: (operation, input) => pki.read(operation, { ...input, algorithm: 'ECDSA-P256' }) };
};
