/** A new cluster that begins with a snapshot of another one. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isSettled } from './checks.ts';
import { damage } from './damage.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { eventsAbout } from './pools.fixture.ts';
import { cluster as source } from './upgrade.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const guests = () => world.system.guests.clusters.all();
const guestOf = (name: string) => {
  const ids = world
    .all('Machine')
    .filter(({ spec }) => spec?.clusterName === name)
    .map(({ spec }) => spec?.providerID?.split('/').at(-1));
  return guests().find(({ record }) => record.etcd.members.some(({ instanceId }) => ids.includes(instanceId)))!;
};
const namesIn = async (name: string, type: string) =>
  (await world.wait(guestOf(name).list<KubeObject>(type))).map(({ metadata }) => metadata.name);

const balanced = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: 'shop', finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
  spec: { type: 'LoadBalancer', clusterIP: '10.96.7.7', ports: [{ port: 443 }] },
  status: { loadBalancer: { ingress: [{ hostname: 'a1.elb.eu-central-1.amazonaws.com' }] } },
};
const internal = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: 'api' },
  spec: { type: 'ClusterIP', clusterIP: '10.96.7.8', ports: [{ port: 80 }] },
};
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pvc-1' },
  spec: { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-0123' }, persistentVolumeReclaimPolicy: 'Delete' },
};
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'kept' },
  data: { text: 'of the source' },
};

const take = async (name: string) => {
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name },
    spec: { clusterName: source },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', name)?.status?.phase === 'Succeeded', 10);
};

/** The cluster quickstart with a snapshot `saved` of objects of every kind that a copy leaves out. */
const open = async (seed: number) => {
  world = await createWorld({ from: quickstart, seed, workflows: true });
  for (const object of [balanced, internal, volume, configMap] as KubeObject[])
    await world.wait(guestOf(source).create(object));
  await take('saved');
};

type Change = (object: KubeObject) => KubeObject;
/** The manifest of another cluster of the same shape. */
const manifest = (annotations: Record<string, string>, change: Change = (object) => object): KubeObject[] =>
  example('quickstart.yaml')
    .map((object) => JSON.parse(JSON.stringify(object).replaceAll('quickstart', 'second')) as KubeObject)
    .map((object) =>
      object.kind === 'Cluster' ? { ...object, metadata: { ...object.metadata, annotations } } : object,
    )
    .map(change);
const create = async (annotations: Record<string, string>, change?: Change) => {
  for (const object of manifest(annotations, change)) await world.apply(object);
};
const operation = (attempt = 1) => world.find('ClusterOperation', `second-create-${attempt}`);
const ended = () =>
  world.until('ended', () => ['Succeeded', 'Held', 'TornDown'].includes(operation()?.status?.phase ?? ''), 90);
const from = (name: string) => ({ 'capstan.dev/restore-from': name, 'capstan.dev/on-create-failure': 'Hold' });
const fromSaved = from('saved');

const preflight = () => operation()?.status?.steps?.find(({ name }) => name === 'Preflight');

describe('a cluster that begins with a snapshot', () => {
  it('has the data of the other one, and nothing that belongs to it', async () => {
    await open(1);
    await create(fromSaved);
    await ended();
    expect(operation()?.status?.phase, operation()?.status?.message).toBe('Succeeded');
    await world.until('settled', () => isSettled(world), 60);
    const message = preflight()?.message ?? '';
    expect(message).toContain('1 Services of type LoadBalancer (default/shop)');
    expect(message).toContain('1 PersistentVolumes (pvc-1)');
    const kept = await world.wait(guestOf('second').get('configmaps', 'default', 'kept'));
    expect(kept?.data).toEqual(configMap.data);
    expect(await namesIn('second', 'services')).toEqual(expect.arrayContaining(['api', 'kubernetes']));
    expect(await namesIn('second', 'services')).not.toContain('shop');
    expect(await namesIn('second', 'persistentvolumes')).toEqual([]);
    const own = world.all('Machine').filter(({ spec }) => spec?.clusterName === 'second');
    expect((await namesIn('second', 'nodes')).sort()).toEqual(own.map(({ status }) => status?.nodeRef?.name).sort());
    expect(world.find('Secret', 'second-ca')?.data).not.toEqual(world.find('Secret', `${source}-ca`)?.data);
    expect(await namesIn(source, 'services')).toContain('shop');
  });

  it('needs nothing of the other one but the snapshot', async () => {
    await open(2);
    for (const { spec } of world.all('Machine')) {
      const id = spec?.providerID?.split('/').at(-1);
      if (id) world.system.account.terminate(id);
    }
    await world.pass(5);
    await create(fromSaved);
    await ended();
    expect(operation()?.status?.phase, operation()?.status?.message).toBe('Succeeded');
    expect((await world.wait(guestOf('second').get('configmaps', 'default', 'kept')))?.data).toEqual(configMap.data);
  });

  it('begins with the last snapshot of a deleted one', async () => {
    await open(5);
    await world.remove('Cluster', source);
    const isGone = () => !world.find('Cluster', source) && !world.find('EtcdSnapshot', 'saved');
    await world.until('gone', isGone, 60);
    const [last] = world.all('EtcdSnapshot');
    expect([world.all('EtcdSnapshot').length, last?.status?.phase]).toEqual([1, 'Succeeded']);
    const events = JSON.stringify(await eventsAbout(world, `${source}-delete-1`));
    expect(events).toContain(`Its last state is EtcdSnapshot ${last?.metadata.name} until`);
    await create(from(last?.metadata.name ?? ''));
    await ended();
    expect(operation()?.status?.phase, operation()?.status?.message).toBe('Succeeded');
    expect((await world.wait(guestOf('second').get('configmaps', 'default', 'kept')))?.data).toEqual(configMap.data);
  });

  it('is refused with a damaged file, and created once it names another snapshot', async () => {
    await open(3);
    const { location = '' } = world.find('EtcdSnapshot', 'saved')?.status ?? {};
    await take('again');
    await damage(world, location);
    await create(fromSaved);
    await ended();
    expect(operation()?.status?.phase).toBe('Held');
    expect(preflight()?.message).toMatch(/failed: EtcdSnapshot saved cannot be copied: the .*does not match/);
    expect(world.all('Machine').filter(({ spec }) => spec?.clusterName === 'second')).toEqual([]);
    await world.apply(manifest(from('again')).find(({ kind }) => kind === 'Cluster')!);
    await world.until('created', () => operation(2)?.status?.phase === 'Succeeded', 90);
    expect((await world.wait(guestOf('second').get('configmaps', 'default', 'kept')))?.data).toEqual(configMap.data);
  });

  it('is refused in another minor version, before anything is made', async () => {
    await open(4);
    await create(fromSaved, (object) => JSON.parse(JSON.stringify(object).replaceAll('v1.35.0', 'v1.34.2')));
    await ended();
    expect(preflight()?.message).toMatch(
      /EtcdSnapshot saved is of Kubernetes v1.35.0, but KubeadmControlPlane second-control-plane asks for v1.34.2/,
    );
    expect(world.all('EtcdSnapshot').map(({ metadata }) => metadata.name)).toEqual(['saved']);
  });
});
