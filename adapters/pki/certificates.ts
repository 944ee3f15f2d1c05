/** X.509 certificates and keys as PEM, created synchronously for the virtual clock. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import type { KeyAlgorithm } from '../../kinds/ports/pki.ts';

export interface Pem {
  certificate: string;
  key: string;
}

export interface Subject {
  commonName: string;
  organizations?: string[];
}

const dayMs = 24 * 60 * 60 * 1000;
// Certificates begin a little early, so that a peer whose clock is behind accepts them.
const backdatedMs = 5 * 60 * 1000;

const commonName = '2.5.4.3';
const organization = '2.5.4.10';

export const generateKey = (algorithm: KeyAlgorithm): KeyObject => {
  switch (algorithm) {
    case 'RSA-2048':
    case 'RSA-3072':
    case 'RSA-4096':
      return generateKeyPairSync('rsa', { modulusLength: Number(algorithm.slice(4)) }).privateKey;
    case 'ECDSA-P256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    case 'ECDSA-P384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  }
};

/** PKCS #1 and SEC 1, which kubeadm writes and all tools read. */
export const privatePem = (key: KeyObject): string =>
  key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs1', format: 'pem' }).toString();
export const publicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

const spki = (key: KeyObject): Buffer =>
  (key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'der' });
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const nameOf = ({ commonName: name, organizations = [] }: Subject): Name =>
  new Name(
    [...organizations.map((value) => [organization, value] as const), [commonName, name] as const].map(
      ([type, utf8String]) =>
        new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String }) })]),
    ),
  );

// RFC 5280 suggests SHA-1 of the public key as an identifier; others are permitted.
const keyIdOf = (key: KeyObject): ArrayBuffer => {
  const info = AsnConvert.parse(bufferOf(spki(key)), SubjectPublicKeyInfo);
  return bufferOf(createHash('sha1').update(new Uint8Array(info.subjectPublicKey)).digest());
};

const signatureOf = (key: KeyObject): { hash: string; algorithm: AlgorithmIdentifier } => {
  if (key.asymmetricKeyType !== 'ec')
    return {
      hash: 'sha256',
      algorithm: new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.11', parameters: bufferOf(derNull) }),
    };
  return key.asymmetricKeyDetails?.namedCurve === 'secp384r1'
    ? { hash: 'sha384', algorithm: new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.3' }) }
    : { hash: 'sha256', algorithm: new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' }) };
};
const derNull = Uint8Array.of(5, 0);

const extension = (extnID: string, value: object, critical = false): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

const serialNumber = (): ArrayBuffer => {
  const bytes = randomBytes(16);
  // Positive and without a leading zero octet.
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bufferOf(bytes);
};

const pem = (label: string, der: ArrayBuffer): string => {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
};

interface Body {
  issuer: Name;
  issuerKey: KeyObject;
  subject: Name;
  publicKey: KeyObject;
  days: number;
  now: number;
  extensions: Extension[];
}

const certify = ({ issuer, issuerKey, subject, publicKey, days, now, extensions }: Body): string => {
  const { hash, algorithm } = signatureOf(issuerKey);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer,
    subject,
    validity: new Validity({ notBefore: new Date(now - backdatedMs), notAfter: new Date(now + days * dayMs) }),
    subjectPublicKeyInfo: AsnConvert.parse(bufferOf(spki(publicKey)), SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signature = sign(hash, new Uint8Array(AsnConvert.serialize(tbsCertificate)), issuerKey);
  return pem(
    'CERTIFICATE',
    AsnConvert.serialize(
      new Certificate({ tbsCertificate, signatureAlgorithm: algorithm, signatureValue: bufferOf(signature) }),
    ),
  );
};

export interface AuthorityRequest {
  subject: Subject;
  days: number;
  algorithm: KeyAlgorithm;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A new self-signed CA. */
export const createAuthority = ({ subject, days, algorithm, now }: AuthorityRequest): Pem => {
  const key = generateKey(algorithm);
  const name = nameOf(subject);
  const usage = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.keyCertSign;
  const certificate = certify({
    issuer: name,
    issuerKey: key,
    subject: name,
    publicKey: key,
    days,
    now,
    extensions: [
      extension(id_ce_keyUsage, new KeyUsage(usage), true),
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(key))),
    ],
  });
  return { certificate, key: privatePem(key) };
};

export interface IssueRequest {
  subject: Subject;
  /** DNS names and IP addresses. */
  sans?: string[];
  usages: ('client' | 'server')[];
  ca: Pem;
  days: number;
  /** Milliseconds since the epoch. */
  now: number;
  algorithm?: KeyAlgorithm;
}

const generalName = (san: string): GeneralName => new GeneralName(isIP(san) ? { iPAddress: san } : { dNSName: san });

/** The issuer's own key id, which OpenSSL requires. */
const issuerKeyIdOf = ({ extensions = [] }: TBSCertificate, key: KeyObject): ArrayBuffer => {
  const own = extensions.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
  return own ? AsnConvert.parse(own.extnValue.buffer, SubjectKeyIdentifier).buffer : keyIdOf(key);
};

/** A new key and its certificate, signed by `ca`. Throws if the CA is unreadable. */
export const issue = ({ subject, sans = [], usages, ca, days, now, algorithm = 'RSA-2048' }: IssueRequest): Pem => {
  const key = generateKey(algorithm);
  const issuerKey = createPrivateKey(ca.key);
  const issuer = AsnConvert.parse(bufferOf(new X509Certificate(ca.certificate).raw), Certificate).tbsCertificate;
  const certificate = certify({
    issuer: issuer.subject,
    issuerKey,
    subject: nameOf(subject),
    publicKey: key,
    days,
    now,
    extensions: [
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment), true),
      extension(
        id_ce_extKeyUsage,
        new ExtendedKeyUsage(usages.map((usage) => (usage === 'client' ? id_kp_clientAuth : id_kp_serverAuth))),
      ),
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(issuerKeyIdOf(issuer, issuerKey)) }),
      ),
      ...(sans.length > 0 ? [extension(id_ce_subjectAltName, new SubjectAlternativeName(sans.map(generalName)))] : []),
    ],
  });
  return { certificate, key: privatePem(key) };
};

export interface CertificateFacts {
  commonName: string;
  organizations: string[];
  /** Milliseconds since the epoch. */
  notBefore: number;
  notAfter: number;
  /** `sha256:` and the hexadecimal hash of the public key, as kubeadm pins it. */
  publicKeyHash: string;
  isAuthority: boolean;
}

/** A PEM certificate's content; undefined if it is not one. */
export const describeCertificate = (certificate: string): CertificateFacts | undefined => {
  try {
    const parsed = new X509Certificate(certificate);
    const subject = parsed.subject.split('\n');
    const values = (attribute: string) =>
      subject.filter((line) => line.startsWith(`${attribute}=`)).map((line) => line.slice(attribute.length + 1));
    return {
      commonName: values('CN')[0] ?? '',
      organizations: values('O'),
      notBefore: Date.parse(parsed.validFrom),
      notAfter: Date.parse(parsed.validTo),
      publicKeyHash: `sha256:${createHash('sha256').update(spki(parsed.publicKey)).digest('hex')}`,
      isAuthority: parsed.ca,
    };
  } catch {
    return undefined;
  }
};
