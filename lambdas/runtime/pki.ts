/** Keys and certificates. Their libraries are loaded on first use. */
import { lazyPort, pkiPort } from '../../adapters/ports.ts';

export const pkiOnDemand = () =>
  lazyPort(async () => pkiPort((await import('../../adapters/pki/index.ts')).localPki()));
