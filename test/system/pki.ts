/** The Pki port with elliptic keys for every algorithm: a hundred RSA keys would dominate the time of these tests. */
import { localPki } from '../../adapters/pki/index.ts';
import type { Pki } from '../../kinds/ports/pki.ts';

export const quickPki = (): Pki => {
  const pki = localPki();
  return { read: (operation, input) => pki.read(operation, { ...input, algorithm: 'ECDSA-P256' }) };
};
