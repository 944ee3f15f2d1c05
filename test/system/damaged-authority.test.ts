/** An authority that is damaged in the life of a cluster is named before a host is started with it. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../adapters/pki/index.ts';
import { isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const plane = 'quickstart-control-plane';
const kubeconfig = 'quickstart-kubeconfig';
const encoded = (text: string) => Buffer.from(text).toString('base64');

let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const other = (now: number) =>
  createAuthority({ subject: { commonName: 'kubernetes' }, days: 3650, algorithm: 'ECDSA-P256', now }).certificate;

describe.each<{ rule: string; secret: string; data: (now: number) => Record<string, string>; says: string }>([
  {
    rule: 'a certificate that was cut off',
    secret: 'quickstart-ca',
    data: () => ({ 'tls.crt': '-----BEGIN CERTIFICATE-----\nMII' }),
    says: 'Secret quickstart-ca: tls.crt is not a certificate in PEM',
  },
  {
    rule: 'the key of another authority',
    secret: 'quickstart-etcd',
    data: () => ({ 'tls.key': 'rubbish' }),
    says: 'Secret quickstart-etcd: tls.key is not a private key in PEM without a passphrase',
  },
  {
    rule: 'the certificate of another authority',
    secret: 'quickstart-proxy',
    data: (now) => ({ 'tls.crt': other(now) }),
    says: 'Secret quickstart-proxy: tls.key is not the key of tls.crt: put a pair that belongs together',
  },
])('$rule', ({ secret, data, says }) => {
  it('is a condition, starts no host, and is over when the Secret is mended', async () => {
    world = await createWorld({ from: quickstart });
    const before = world.find('Secret', secret)!.data as Record<string, string>;
    const damaged = Object.entries(data(world.now())).map(([key, text]) => [key, encoded(text)]);
    await world.patch('Secret', secret, { data: Object.fromEntries(damaged) });
    const judged = (status: string) =>
      world.until(
        status,
        () => world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable')?.status === status,
        5,
      );
    await judged('False');
    expect(world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable')?.message).toBe(says);
    await world.until(
      'unavailable',
      () => world.condition('Cluster', 'quickstart', 'Available')?.status === 'False',
      5,
    );
    const launched = world.calls().RunInstances;
    await world.scale('KubeadmControlPlane', plane, 3);
    await world.remove('Secret', kubeconfig);
    await world.pass(30);
    expect(world.calls().RunInstances).toBe(launched);
    await world.patch('Secret', secret, { data: before });
    await world.until('settled', () => isSettled(world), 60);
    expect(world.find('Secret', kubeconfig)).toBeDefined();
  });
});

it('an authority that the hosts do not trust is told from theirs', async () => {
  world = await createWorld({ from: quickstart });
  const { certificate, key } = createAuthority({
    subject: { commonName: 'kubernetes' },
    days: 3650,
    algorithm: 'ECDSA-P256',
    now: world.now(),
  });
  await world.patch('Secret', 'quickstart-ca', { data: { 'tls.crt': encoded(certificate), 'tls.key': encoded(key) } });
  const condition = () => world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable');
  await world.until('judged', () => condition()?.status === 'False', 5);
  expect(condition()?.message).toBe(
    `Secret quickstart-ca: it is not the authority that Secret ${kubeconfig} trusts: put that one back`,
  );
});
