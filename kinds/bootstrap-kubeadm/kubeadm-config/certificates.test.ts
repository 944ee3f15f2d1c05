import { describe, expect, it } from 'vitest';
import { createAuthority, generateKey, issue, privatePem, publicPem } from '../../../adapters/pki/certificates.ts';
import { inspect } from '../../../adapters/pki/inspect.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import { observeCertificates, unusableCertificates } from './certificates.ts';

const now = Date.UTC(2026, 5, 1);
const day = 86_400_000;
const authority = (from = now, days = 30) =>
  createAuthority({ subject: { commonName: 'kubernetes' }, days, algorithm: 'ECDSA-P256', now: from });
const ca = authority();
const leaf = issue({ subject: { commonName: 'x' }, usages: ['client'], ca, days: 9, now, algorithm: 'ECDSA-P256' });
const account = generateKey('ECDSA-P256');

const secret = (purpose: string, data: Record<string, string>): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `demo-${purpose}`, namespace: 'default' },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  }) as KubeObject;
const pair = (certificate: string, key: string) => ({ 'tls.crt': certificate, 'tls.key': key });
const external = { etcd: { external: { endpoints: ['https://etcd'], caFile: 'a', certFile: 'b', keyFile: 'c' } } };

const readerOf = (secrets: KubeObject[]) =>
  ({
    get: (_kind: string, { name }: { name: string }) => {
      const value = secrets.find(({ metadata }) => metadata.name === name);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    ask: (_port: string, _operation: string, input: unknown) => ({
      state: 'found',
      value: inspect(input as { certificate: string; key: string }),
    }),
  }) as unknown as Reader;

describe('the authorities that a user provides', () => {
  it.each<{ rule: string; secrets: KubeObject[]; configuration?: typeof external; says?: string }>([
    { rule: 'that are missing will be created', secrets: [] },
    { rule: 'that are valid are used', secrets: [secret('ca', pair(ca.certificate, ca.key))] },
    {
      rule: 'of service accounts are plain key pairs',
      secrets: [secret('sa', pair(publicPem(account), privatePem(account)))],
    },
    {
      rule: 'must include their key',
      secrets: [secret('proxy', { 'tls.crt': ca.certificate })],
      says: 'Secret default/demo-proxy lacks tls.key: add it',
    },
    {
      rule: 'must be PEM certificates',
      secrets: [secret('ca', pair('none', ca.key))],
      says: 'Secret default/demo-ca: tls.crt is not a certificate in PEM',
    },
    {
      rule: 'must include a valid key',
      secrets: [secret('ca', pair(ca.certificate, 'none'))],
      says: 'Secret default/demo-ca: tls.key is not a private key in PEM',
    },
    {
      rule: 'must include a public key for service accounts',
      secrets: [secret('sa', pair(privatePem(account), privatePem(account)))],
      says: 'Secret default/demo-sa: tls.crt is not a public key in PEM',
    },
    {
      rule: 'must match their key',
      secrets: [secret('ca', pair(ca.certificate, leaf.key))],
      says: 'Secret default/demo-ca: tls.key is not the key of tls.crt',
    },
    {
      rule: 'must be those of a certificate authority',
      secrets: [secret('ca', pair(leaf.certificate, leaf.key))],
      says: 'Secret default/demo-ca: the certificate in tls.crt is not that of an authority',
    },
    {
      rule: 'must not have expired',
      secrets: [((old) => secret('etcd', pair(old.certificate, old.key)))(authority(now - 31 * day))],
      says: 'Secret default/demo-etcd: the certificate in tls.crt ended on 2026-05-31: renew it',
    },
    {
      rule: 'must be valid already',
      secrets: [((next) => secret('etcd', pair(next.certificate, next.key)))(authority(now + 3 * day))],
      says: 'Secret default/demo-etcd: the certificate in tls.crt begins only on 2026-06-03',
    },
    {
      rule: 'of an external etcd need no CA key',
      secrets: [secret('etcd', { 'tls.crt': ca.certificate })],
      configuration: external,
    },
  ])('$rule', ({ secrets, configuration, says }) => {
    const input = { namespace: 'default', cluster: 'demo', configuration, generate: false, now };
    const certificates = observeCertificates(readerOf(secrets), input);
    const unusable = unusableCertificates(input, certificates);
    expect(unusable.map((one) => one.slice(0, says?.length))).toEqual(says === undefined ? [] : [says]);
  });
});
