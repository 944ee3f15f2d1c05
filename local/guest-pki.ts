import { createAuthority, issue } from '../adapters/pki/index.ts';
import type { GuestPki } from '../simulation/workload/pki.ts';

/** The cryptography of simulated clusters: elliptic keys throughout, for they are made by the hundred. */
const algorithm = 'ECDSA-P256';

export const guestPki: GuestPki = {
  authority: ({ commonName, days, now }) => createAuthority({ subject: { commonName }, days, algorithm, now }),
  issue: ({ commonName, organizations = [], sans = [], usages, ca, days, now }) =>
    issue({ subject: { commonName, organizations }, sans, usages, ca, days, now, algorithm }),
};
