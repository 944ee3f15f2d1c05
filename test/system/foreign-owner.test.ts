/** A user who knows the uid of another namespace's Cluster, and refers to it, reaches nothing that was made for it. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
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
