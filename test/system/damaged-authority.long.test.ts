/** An authority that is damaged in the life of a cluster is named before a host is started with it. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issue } from '../../adapters/pki/index.ts';
import { adminKubeconfig } from '../../kinds/core/contract/kubeconfig.ts';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
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

const another = (now: number) =>
  createAuthority({ subject: { commonName: 'kubernetes' }, days: 3650, algorithm: 'ECDSA-P256', now });
const other = (now: number) => another(now).certificate;

/** The Events of a reason, as the controllers record them. */
const eventsOf = (wanted: string): string[] => {
  const recorded: string[] = [];
  world.onCommit(({ type, object }) => {
    const { reason, message } = (object ?? {}) as { reason?: string; message?: string };
    if (type === 'events' && reason === wanted) recorded.push(message ?? '');
  });
  return recorded;
};

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
  {
    rule: 'a key that was emptied',
    secret: 'quickstart-sa',
    data: () => ({ 'tls.key': '' }),
    says: 'Secret quickstart-sa lacks tls.key',
  },
])('$rule', ({ secret, data, says }) => {
  it('is a condition, starts no host, and is over when the Secret is mended', async () => {
    world = await createWorld({ from: quickstart });
    const events = eventsOf('CertificatesNotAvailable');
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
    expect(world.condition('Cluster', 'quickstart', 'Available')?.message).toContain(says);
    expect(new Set(events)).toEqual(new Set([says]));
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

it.each([
  { rule: 'the authority', secret: 'quickstart-ca' },
  { rule: 'the key of service accounts', secret: 'quickstart-sa' },
])('$rule that was deleted is missed and not made anew', async ({ secret }) => {
  world = await createWorld({ from: quickstart });
  const before = world.find('Secret', secret)!;
  await world.remove('Secret', secret);
  const judged = (status: string) => () =>
    world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable')?.status === status;
  await world.until('judged', judged('False'), 5);
  expect(world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable')?.message).toBe(
    `Secret ${secret} does not exist with tls.crt and tls.key. To have absent ones made again from an EtcdSnapshot of Cluster quickstart whose status.keys.kept names them, run: kubectl annotate esnap NAME -n default --overwrite capstan.dev/restore-keys="$(date)"`,
  );
  await world.pass(30);
  expect(world.find('Secret', secret)).toBeUndefined();
  const { uid, resourceVersion, ...metadata } = before.metadata;
  await world.apply({ ...before, metadata });
  await world.until('settled', () => isSettled(world), 60);
});

it('the authority of a user is judged as soon as it is damaged', async () => {
  world = await createWorld({ from: quickstart });
  const [secret, clusterName] = ['quickstart-ca', 'cluster.x-k8s.io/cluster-name'];
  await world.patch('Secret', secret, { metadata: { ownerReferences: null, labels: { [clusterName]: null } } });
  const { data } = world.find('Secret', secret)!;
  const { namespace, name } = world.find('Secret', secret)!.metadata;
  await world.remove('Secret', secret);
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type: 'Opaque', data } as never);
  await world.until('settled', () => isSettled(world), 60);
  await world.pass(60);
  await world.patch('Secret', secret, { data: { 'tls.crt': encoded('rubbish') } });
  await world.until(
    'judged',
    () => world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable')?.status === 'False',
    2,
  );
  expect(world.find('Secret', secret)?.data?.['tls.crt']).toBe(encoded('rubbish'));
});

it('an authority that the hosts do not trust starts no host', async () => {
  world = await createWorld({ from: quickstart });
  const { certificate, key } = another(world.now());
  const before = world.find('Secret', 'quickstart-ca')!.data;
  await world.patch('Secret', 'quickstart-ca', { data: { 'tls.crt': encoded(certificate), 'tls.key': encoded(key) } });
  const condition = () => world.condition('KubeadmControlPlane', plane, 'CertificatesAvailable');
  await world.until('judged', () => condition()?.status === 'False', 5);
  const says = `Secret quickstart-ca: it is not the authority that Secret ${kubeconfig} trusts: put that one back`;
  expect(condition()?.message).toBe(says);
  const launched = world.calls().RunInstances;
  const [workers] = world.all('MachineDeployment');
  await world.scale('MachineDeployment', workers!.metadata.name, (workers!.spec?.replicas ?? 0) + 1);
  await world.pass(30);
  expect(world.calls().RunInstances).toBe(launched);
  const waiting = world.all('KubeadmConfig').filter(({ status }) => !status?.initialization?.dataSecretCreated);
  expect(
    waiting.map(({ metadata }) => world.condition('KubeadmConfig', metadata.name, 'CertificatesAvailable')?.message),
  ).toEqual([says]);
  await world.patch('Secret', 'quickstart-ca', { data: before });
  await world.until('settled', () => isSettled(world), 60);
});

describe('a kubeconfig', () => {
  const textOf = (): string => Buffer.from(world.find('Secret', kubeconfig)?.data?.value ?? '', 'base64').toString();
  const damages: { rule: string; damaged: (before: string, now: number) => string }[] = [
    { rule: 'rubbish', damaged: () => 'rubbish' },
    { rule: 'emptied', damaged: () => '' },
    { rule: 'without a server', damaged: (before) => before.replace(/server: .*/, 'server: ""') },
    { rule: 'with a damaged key', damaged: (before) => before.replace(/(client-key-data: .{40}).*/, '$1') },
    {
      rule: 'of another authority',
      damaged: (before, now) => {
        const ca = another(now);
        const subject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
        const client = issue({ subject, usages: ['client'], ca, days: 365, now, algorithm: 'ECDSA-P256' });
        const { server, caCertificate = '' } = connectionOf(before);
        return adminKubeconfig({ cluster: 'quickstart', server, caCertificate, ...client });
      },
    },
  ];
  const damage = (value: string) => world.patch('Secret', kubeconfig, { data: { value: encoded(value) } });

  it.each(damages)('that is $rule is made anew', async ({ damaged }) => {
    world = await createWorld({ from: quickstart });
    const events = eventsOf('KubeconfigRebuilt');
    const { server } = connectionOf(textOf());
    const value = damaged(textOf(), world.now());
    await damage(value);
    await world.until('made anew', () => textOf() !== value && connectionOf(textOf()).server === server, 2);
    await world.until('settled', () => isSettled(world), 10);
    expect(events).toHaveLength(1);
  });

  it.each(damages.slice(0, 2))('of the user that is $rule is reported, and stays', async ({ damaged }) => {
    world = await createWorld({ from: quickstart });
    const { data, metadata } = world.find('Secret', kubeconfig)!;
    const { namespace, name } = metadata;
    const users = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type: 'Opaque', data } as never;
    // The user's Secret replaces the control plane's, which would otherwise be made anew.
    await world.patch('KubeadmControlPlane', plane, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await world.remove('Secret', kubeconfig);
    await world.apply(users);
    await world.patch('KubeadmControlPlane', plane, { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await world.until('settled', () => isSettled(world), 60);
    const value = damaged(textOf(), world.now());
    await damage(value);
    await world.until(
      'reported',
      () => world.condition('Cluster', 'quickstart', 'RemoteConnectionProbe')?.status === 'False',
      10,
    );
    expect(world.condition('Cluster', 'quickstart', 'RemoteConnectionProbe')?.message).toContain(
      `Secret ${kubeconfig}: `,
    );
    await world.pass(30);
    expect(textOf()).toBe(value);
  });
});
