/** Keys and certificates, whose libraries only some passes need. */
import { latePort, pkiPort } from '../../adapters/ports.ts';

export const pkiOnDemand = () =>
  latePort(async () => pkiPort((await import('../../adapters/pki/index.ts')).localPki()));
