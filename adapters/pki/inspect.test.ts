import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuthority, generateKey, issue, privatePem, publicPem } from './certificates.ts';
import { inspect } from './inspect.ts';

const now = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const ca = createAuthority({ subject: { commonName: 'kubernetes' }, days: 10, algorithm: 'ECDSA-P256', now });
const leaf = issue({
  subject: { commonName: 'client' },
  usages: ['client'],
  ca,
  days: 1,
  now,
  algorithm: 'ECDSA-P256',
});
const pair = generateKey('ECDSA-P256');
const sealed = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString();

it.each([
  {
    rule: 'an authority',
    certificate: ca.certificate,
    key: ca.key,
    is: { publicKey: true, privateKey: true, matches: true },
  },
  {
    rule: 'a certificate with the key of another',
    certificate: ca.certificate,
    key: leaf.key,
    is: { publicKey: true, privateKey: true, matches: false },
  },
  {
    rule: 'a public key and its private key',
    certificate: publicPem(pair),
    key: privatePem(pair),
    is: { publicKey: true, privateKey: true, matches: true },
  },
  {
    rule: 'a private key in place of the public key',
    certificate: privatePem(pair),
    key: privatePem(pair),
    is: { publicKey: false, privateKey: true, matches: false },
  },
  {
    rule: 'a key with a passphrase',
    certificate: ca.certificate,
    key: sealed,
    is: { publicKey: true, privateKey: false, matches: false },
  },
  {
    rule: 'text that is not PEM',
    certificate: 'certificate',
    key: 'key',
    is: { publicKey: false, privateKey: false, matches: false },
  },
  { rule: 'empty text', certificate: '', key: '', is: { publicKey: false, privateKey: false, matches: false } },
])('inspects $rule', ({ certificate, key, is }) => expect(inspect({ certificate, key })).toMatchObject(is));

it('reports whether a certificate is an authority, and until when it is valid', () => {
  expect(inspect(ca).certificate).toMatchObject({ authority: true, notAfter: now + 10 * day });
  expect(inspect(leaf).certificate).toMatchObject({ authority: false, notAfter: now + day });
  expect(inspect({ certificate: publicPem(pair), key: privatePem(pair) }).certificate).toBeUndefined();
});
