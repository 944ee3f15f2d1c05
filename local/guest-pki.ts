import { createAuthority, issue } from '../adapters/pki/index.ts';
import type { GuestPki } from '../simulation/workload/pki.ts';

/** Simulated clusters use elliptic keys, because tests create hundreds of them. */
const algorithm = 'ECDSA-P256';

export const guestPki: GuestPki = {
  authority: ({ commonName, days, now }) => createAuthority({ subject: { commonName }, days, algorithm, now }),
  issue: ({ commonName, organizations = [], sans = [], usages, ca, days, now }) =>
    issue({ subject: { commonName, organizations }, sans, usages, ca, days, now, algorithm }),
};
