/** Keys and certificates. Their libraries are loaded on first use. */
import { latePort, pkiPort } from '../../adapters/ports.ts';

export const pkiOnDemand = () =>
  latePort(async () => pkiPort((await import('../../adapters/pki/index.ts')).localPki()));
