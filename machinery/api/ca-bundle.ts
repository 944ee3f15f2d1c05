import { X509Certificate } from 'node:crypto';

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const isCertificate = (pem: string): boolean => {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
};

/** Why a bundle of authorities in base64 has no usable certificate, in Kubernetes' words. */
export const caBundleFault = (bundle: string): string | undefined => {
  const found = Buffer.from(bundle, 'base64').toString().match(certificate) ?? [];
  if (found.some(isCertificate)) return undefined;
  const why = found.length === 0 ? 'unable to parse bytes as PEM block' : 'failed to parse certificate';
  return `unable to load root certificates: ${why}`;
};
