/** The authorities of AWS's public certificates, which API Gateway and load balancers have. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { once } from '../../machinery/once.ts';

/** Amazon's own, and the one by which older clients trust them. */
const authority = /^(O=Amazon|CN=Starfield Services Root Certificate Authority - G2)$/m;

/** PEM. */
export const amazonRoots = once(() =>
  rootCertificates
    .filter((pem) => authority.test(new X509Certificate(pem).subject))
    .map((pem) => `${pem.trim()}\n`)
    .join(''),
);
