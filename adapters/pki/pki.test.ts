import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { KeyAlgorithm } from '../../kinds/ports/pki.ts';
import { createAuthority, describeCertificate, issue, localPki } from './index.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const day = 24 * 60 * 60 * 1000;
const pki = localPki();
const authority = (algorithm: KeyAlgorithm = 'ECDSA-P256', commonName = 'kubernetes') =>
  createAuthority({ subject: { commonName }, days: 3650, algorithm, now });

describe('an authority', () => {
  it.each<{ algorithm: KeyAlgorithm; key: string; label: string }>([
    { algorithm: 'RSA-2048', key: 'rsa', label: 'RSA PRIVATE KEY' },
    { algorithm: 'RSA-3072', key: 'rsa', label: 'RSA PRIVATE KEY' },
    { algorithm: 'ECDSA-P256', key: 'ec', label: 'EC PRIVATE KEY' },
    { algorithm: 'ECDSA-P384', key: 'ec', label: 'EC PRIVATE KEY' },
  ])('with $algorithm signs itself for the requested days', async ({ algorithm, key, label }) => {
    const ca = await pki.read('authority', { commonName: 'kubernetes', days: 3650, algorithm, now });
    const certificate = new X509Certificate(ca.certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(ca.key))).toBe(true);
    expect(createPrivateKey(ca.key).asymmetricKeyType).toBe(key);
    expect(ca.key).toContain(`BEGIN ${label}`);
    expect(describeCertificate(ca.certificate)).toMatchObject({
      commonName: 'kubernetes',
      notAfter: now + 3650 * day,
      isAuthority: true,
    });
  });

  it('stays valid beyond 2049, where the encoding of times changes', () => {
    const ca = createAuthority({ subject: { commonName: 'old' }, days: 36500, algorithm: 'ECDSA-P256', now });
    expect(describeCertificate(ca.certificate)!.notAfter).toBe(now + 36500 * day);
  });
});

describe('a client certificate', () => {
  it.each<KeyAlgorithm>([
    'RSA-2048',
    'ECDSA-P384',
  ])('carries its groups and verifies against its CA with %s', async (algorithm) => {
    const ca = authority(algorithm);
    const client = await pki.read('clientCertificate', {
      commonName: 'kubernetes-admin',
      organizations: ['system:masters', 'others'],
      days: 365,
      algorithm: 'ECDSA-P256',
      caCertificate: ca.certificate,
      caKey: ca.key,
      now,
    });
    const certificate = new X509Certificate(client.certificate);
    expect(certificate.checkIssued(new X509Certificate(ca.certificate))).toBe(true);
    expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
    expect(certificate.verify(new X509Certificate(authority(algorithm).certificate).publicKey)).toBe(false);
    expect(describeCertificate(client.certificate)).toMatchObject({
      commonName: 'kubernetes-admin',
      organizations: ['system:masters', 'others'],
      notAfter: now + 365 * day,
      isAuthority: false,
    });
  });
});

describe('a certificate signed by a user’s own authority', () => {
  it('takes the key ID from its issuer, because not every tool derives it with SHA-1: Go does not', () => {
    const { certificate, key } = authority();
    const identifier = Buffer.from('0603551d0e04160414', 'hex');
    const der = Buffer.from(new X509Certificate(certificate).raw);
    const at = der.indexOf(identifier) + identifier.length;
    const provided = new X509Certificate(der.fill(7, at, at + 20));
    const { certificate: client } = issue({
      subject: { commonName: 'admin' },
      usages: ['client'],
      ca: { certificate: provided.toString(), key },
      days: 1,
      now,
    });
    expect(new X509Certificate(client).checkIssued(provided)).toBe(true);
  });
});

describe('a serving certificate', () => {
  it('is accepted by a TLS client for its names and addresses, and client certificates are checked against the CA', async () => {
    const present = Date.now();
    const ca = createAuthority({
      subject: { commonName: 'kubernetes' },
      days: 2,
      algorithm: 'ECDSA-P256',
      now: present,
    });
    const other = createAuthority({ subject: { commonName: 'other' }, days: 2, algorithm: 'ECDSA-P256', now: present });
    const serving = issue({
      subject: { commonName: 'kube-apiserver' },
      sans: ['localhost', '127.0.0.1', '::1', 'api.example.com'],
      usages: ['server'],
      ca,
      days: 1,
      now: present,
      algorithm: 'ECDSA-P256',
    });
    const { certificate, key } = serving;
    const server = createServer({
      cert: certificate,
      key,
      ca: ca.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    });
    server.on('request', (incoming, response) => {
      const { authorized } = incoming.socket as unknown as { authorized: boolean };
      response.end(JSON.stringify({ authorized }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (servername: string, from: typeof ca) => {
      const client = issue({
        subject: { commonName: 'me' },
        usages: ['client'],
        ca: from,
        days: 1,
        now: present,
        algorithm: 'ECDSA-P256',
      });
      return new Promise<string>((resolve, reject) => {
        request(
          {
            host: '127.0.0.1',
            port,
            servername,
            ca: ca.certificate,
            cert: client.certificate,
            key: client.key,
            agent: false,
          },
          (response) => response.on('data', (data: Buffer) => resolve(data.toString())),
        )
          .on('error', reject)
          .end();
      });
    };
    try {
      expect(await ask('api.example.com', ca)).toBe('{"authorized":true}');
      expect(await ask('localhost', other)).toBe('{"authorized":false}');
      await expect(ask('elsewhere.example.com', ca)).rejects.toThrow(/altnames/i);
    } finally {
      server.close();
    }
    expect(new X509Certificate(certificate).checkIP('::1')).toBe('::1');
  });
});

it('generates service account key pairs that match', async () => {
  const { publicKey, privateKey } = await pki.read('keyPair', { algorithm: 'RSA-2048' });
  expect(publicKey).toContain('BEGIN PUBLIC KEY');
  expect(privateKey).toContain('BEGIN RSA PRIVATE KEY');
});

it('returns nothing for text that is not a certificate', () => {
  expect(describeCertificate('not a certificate')).toBeUndefined();
});
