/** A user who knows the uid of another namespace's Cluster, and refers to it, reaches nothing that was made for it. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { eksOf, withoutWorkers } from './eks.fixture.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment } from './world.ts';

let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);

const manifest = example('quickstart.yaml');
const awsCluster = manifest.find(({ kind }) => kind === 'AWSCluster')!;
const cluster = manifest.find(({ kind }) => kind === 'Cluster')!;

const begin = async () => {
  const world = await createWorld({ from: quickstart });
  onTestFinished(() => world.end());
  await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine' } } as KubeObject, '');
  const { uid } = world.find('Cluster', 'quickstart')!.metadata;
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'quickstart', uid: uid! };
  const metadata = {
    name: 'quickstart',
    namespace: 'mine',
    ownerReferences: [owner],
    finalizers: ['awscluster.infrastructure.cluster.x-k8s.io'],
    annotations: { 'capstan.dev/cluster-uid': `${uid}/${uid}` },
    labels: { 'cluster.x-k8s.io/cluster-name': 'quickstart' },
  };
  return { world, before: world.live().map(({ type, id }) => `${type} ${id}`), forged: { ...awsCluster, metadata } };
};

it('deletes no network of it', async () => {
  const { world, before, forged } = await begin();
  expect((await world.apply(forged, 'mine')).code).toBe(201);
  await world.remove('AWSCluster', 'quickstart', 'mine');
  await world.pass(30);
  expect(world.live().map(({ type, id }) => `${type} ${id}`)).toEqual(before);
});

it('builds nothing in its name', async () => {
  const { world, before, forged } = await begin();
  const { controlPlaneRef: _, topology: __, ...spec } = cluster.spec as Record<string, unknown>;
  const own = { ...cluster, metadata: { name: 'quickstart', namespace: 'mine' }, spec: { ...spec, paused: true } };
  expect((await world.apply(own as KubeObject, 'mine')).code).toBe(201);
  expect((await world.apply(forged, 'mine')).code).toBe(201);
  await world.patch('Cluster', 'quickstart', { spec: { paused: null } }, 'mine');
  await world.pass(30);
  const added = world.live().filter(({ type, id }) => !before.includes(`${type} ${id}`));
  const uid = world.find('Cluster', 'quickstart')!.metadata.uid;
  expect(added.filter(({ tags }) => Object.values(tags).includes(uid!))).toEqual([]);
});

it('gets no access to its EKS cluster, and deletes nothing of it', async () => {
  const world = await createWorld();
  onTestFinished(() => world.end());
  const { call, applied, manifest: eks } = eksOf(() => world);
  const objects = withoutWorkers(await eks());
  await applied(objects);
  await world.until('available', () => world.condition('Cluster', 'eks', 'Available')?.status === 'True', 60);
  await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine' } } as KubeObject, '');
  const { uid } = world.find('Cluster', 'eks')!.metadata;
  const controlPlane = world.find('AWSManagedControlPlane', 'eks')!;
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'eks', uid: uid! };
  for (const object of objects) {
    const spec = object.kind === 'AWSManagedControlPlane' ? controlPlane.spec : object.spec;
    const own = { ...object, metadata: { name: 'eks', namespace: 'mine' }, spec } as KubeObject;
    const { code, body } = await world.apply(own, 'mine');
    expect(code, body.message).toBe(201);
  }
  await world.pass(10);
  const ownerReferences = [owner];
  await world.patch('AWSManagedControlPlane', 'eks', { metadata: { ownerReferences } }, 'mine');
  await world.pass(0.1);
  expect(world.find('AWSManagedControlPlane', 'eks', 'mine')!.status?.initialized).toBeUndefined();
  await world.pass(30);
  expect(world.find('Secret', 'eks-kubeconfig', 'mine')).toBeUndefined();
  for (const kind of ['Cluster', 'AWSManagedControlPlane'] as const) await world.remove(kind, 'eks', 'mine');
  await world.pass(30);
  const { cluster: still } = await call('DescribeCluster', { name: controlPlane.spec!.eksClusterName! });
  expect(still.status).toBe('ACTIVE');
});
